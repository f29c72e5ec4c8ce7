// StatesTable makes a table of how threads spent their lives: one row for each state of each
// thread, after the rows for all threads together. Thread-safe: no state.
#pragma once

#include <vector>

#include "views/table.h"
#include "views/thread_states.h"

namespace jprof {

Table StatesTable(const profile::Profile& profile, std::vector<ThreadLife> lives);

}  // namespace jprof
