// RandomHex: random text for names and tokens that nobody can guess. Any thread.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace jprof {

// `bytes` of the kernel's generator, two lower-case digits each. Waits for the generator only while
// the machine boots. REQUIRES: bytes <= 256, which the kernel never returns in part.
Result<std::string> RandomHex(size_t bytes);

}  // namespace jprof
