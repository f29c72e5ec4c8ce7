// Region: a stretch of zeroed memory that somebody outside the handlers owns (os/pages.h).
#pragma once

#include <cstddef>

namespace jprof {

struct Region {
  void* data;
  size_t size;
};

}  // namespace jprof
