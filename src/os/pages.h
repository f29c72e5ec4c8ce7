// Pages: owns one region of zeroed memory, reserved from the kernel. A page costs RAM from its
// first touch on; that touch is allowed in a handler (a page fault, no call), reserving is not.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "sigsafe/memory/region.h"

namespace jprof {

class Pages {
 public:
  // Address space without commit charge (MAP_NORESERVE), rounded up to whole pages.
  static Result<Pages> Reserve(size_t bytes);

  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  Region region() const { return region_; }

  // Gives the region up: it stays mapped for the life of the process.
  Region Leak();

 private:
  explicit Pages(Region region) : region_(region) {}

  Region region_;
};

}  // namespace jprof
