// StatesTable makes a table that shows how threads spent their lives. The first rows are the states
// of all threads together. They are followed by one row for each state of each thread. Thread-safe:
// no state.
#pragma once

#include <vector>

#include "views/table.h"
#include "views/thread_states.h"

namespace jprof {

Table StatesTable(const profile::Profile& profile, std::vector<ThreadLife> lives);

}  // namespace jprof
