// The states that the lives of threads are made of, as a table: a row for each state of each
// thread, all threads first. Thread-safe: no state.
#pragma once

#include <vector>

#include "views/table.h"
#include "views/thread_states.h"

namespace jprof {

Table StatesTable(const profile::Profile& profile, std::vector<ThreadLife> lives);

}  // namespace jprof
