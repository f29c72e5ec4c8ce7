#include "os/pages.h"

#include <sys/mman.h>

#include <string>
#include <utility>

namespace jprof {
namespace {

constexpr size_t kLargestPage = 64 * 1024;  // AArch64 kernels may use 64 KiB pages

}  // namespace

Result<Pages> Pages::Reserve(size_t bytes) {
  const size_t size = (bytes + kLargestPage - 1) & ~(kLargestPage - 1);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return Error::FromErrno("mmap", std::to_string(size) + " bytes");
  return Pages(Region{data, size});
}

Pages::Pages(Pages&& other) noexcept : region_(std::exchange(other.region_, Region{nullptr, 0})) {}

Pages::~Pages() {
  if (region_.data != nullptr) munmap(region_.data, region_.size);
}

Region Pages::Leak() { return std::exchange(region_, Region{nullptr, 0}); }

}  // namespace jprof
