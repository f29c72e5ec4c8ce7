// GuardedPage: zeroed memory that ends where an inaccessible page begins, so that access to the
// first byte after the memory faults.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "sigsafe/memory/region.h"

namespace jprof::test {

class GuardedPage {
 public:
  // REQUIRES: `size` is a multiple of the alignment of what the memory will contain.
  explicit GuardedPage(size_t size) : size_(size), mapped_(RoundedUp(size) + kPage) {
    memory_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    mprotect(memory_ + mapped_ - kPage, kPage, PROT_NONE);
  }
  ~GuardedPage() { munmap(memory_, mapped_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  Region region() const { return {memory_ + mapped_ - kPage - size_, size_}; }

 private:
  static constexpr size_t kPage = 64 * 1024;  // largest page size of any kernel

  static size_t RoundedUp(size_t size) { return (size + kPage - 1) / kPage * kPage; }

  const size_t size_;
  const size_t mapped_;
  char* memory_;
};

}  // namespace jprof::test
