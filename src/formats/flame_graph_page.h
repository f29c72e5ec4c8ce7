// The page around the data of a flame graph. Written by the build from flame_graph/.
#pragma once

#include <string_view>

namespace jprof {

extern const std::string_view kFlameGraphPageBefore;
extern const std::string_view kFlameGraphPageAfter;

}  // namespace jprof
