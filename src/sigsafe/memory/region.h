// Region: zeroed memory, owned by code outside the handlers (os/pages.h).
#pragma once

#include <cstddef>

namespace jprof {

struct Region {
  void* data;
  size_t size;
};

}  // namespace jprof
