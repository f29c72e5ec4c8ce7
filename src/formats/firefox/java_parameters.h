// JavaParameters: the parameters of a method as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::firefox {

// "(ILjava/lang/String;[J)V" -> "(int, String, long[])"; empty for what is no method's descriptor.
std::string JavaParameters(std::string_view descriptor);

}  // namespace jprof::firefox
