// Names of the states of threads, as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::profile {

// "STATE_IN_OBJECT_WAIT" -> "in-object-wait". STATE_DEFAULT, of a thread on a CPU, is "running";
// empty stays empty: not recorded.
std::string StateText(std::string_view jfr_name);

}  // namespace jprof::profile
