// Pages owns one region of zeroed memory, reserved from the kernel. A page costs RAM from its first
// access on. The first access may be in a signal handler, because a page fault is not a call.
// Populate makes the first access cheaper.
//
// The member functions are not for signal handlers.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "sigsafe/memory/region.h"

namespace jprof {

class Pages {
 public:
  // Reserves address space without commit charge (MAP_NORESERVE), rounded up to whole pages.
  static Result<Pages> Reserve(size_t bytes);

  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  Region region() const { return region_; }

  // Returns how many bytes of the region are in RAM now. Costs a system call and a byte per page.
  size_t ResidentBytes() const;

  // Backs the pages of [from, to) with RAM now, without changing their contents; `to` is clipped to
  // the end of the region. If the kernel refuses or is older than 5.14, pages are backed at their
  // first access.
  void Populate(size_t from, size_t to) const;

  // Returns the RAM of the first `bytes` bytes to the kernel: these bytes read as zero again.
  void Discard(size_t bytes) const;

  // Makes the whole region read-only.
  Status MakeReadOnly() const;

  // Gives up ownership: the region stays mapped for the life of the process.
  Region Leak();

 private:
  explicit Pages(Region region) : region_(region) {}

  Region region_;
};

}  // namespace jprof
