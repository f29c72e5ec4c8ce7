// Pages: owns one region of zeroed memory, reserved from the kernel. A page costs RAM from its
// first touch on; that touch is allowed in a handler (a page fault, no call), but it is cheaper
// where somebody has populated the page before.
//
// Not for handlers.
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

  // How much of it is in RAM now. Costs a system call and a byte a page.
  size_t ResidentBytes() const;

  // Backs the pages of [from, to) with RAM now, contents unchanged; what lies behind the end is
  // ignored. Where the kernel cannot (before 5.14) or will not, pages come at their first touch.
  void Populate(size_t from, size_t to) const;

  // Gives the RAM of the first `bytes` back: they read as zero again.
  void Discard(size_t bytes) const;

  // Nobody may write to it any more.
  Status MakeReadOnly() const;

  // Gives the region up: it stays mapped for the life of the process.
  Region Leak();

 private:
  explicit Pages(Region region) : region_(region) {}

  Region region_;
};

}  // namespace jprof
