// LinesOf: where a method is in the source of a workload.
#pragma once

#include <string>
#include <utility>

namespace jprof::test {

// Returns the first and last line of the method whose declaration contains `declaration` ("long
// burnOne(") in test/java/workloads/<file>; {0, 0} if there is none.
std::pair<int, int> LinesOf(const std::string& file, const std::string& declaration);

}  // namespace jprof::test
