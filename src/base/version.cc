#include "base/version.h"

namespace jprof {

const char* JprofVersion() { return JPROF_VERSION; }

}  // namespace jprof
