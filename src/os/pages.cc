#include "os/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace jprof {
namespace {

constexpr size_t kLargestPage = 64 * 1024;  // page size of some AArch64 kernels

// MADV_POPULATE_WRITE (Linux 5.14 include/uapi/asm-generic/mman-common.h), which older headers
// lack.
constexpr int kPopulateWrite = 23;

size_t RoundUp(size_t bytes) { return (bytes + kLargestPage - 1) & ~(kLargestPage - 1); }

}  // namespace

Result<Pages> Pages::Reserve(size_t bytes) {
  const size_t size = RoundUp(bytes);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return Error::FromErrno("mmap", std::to_string(size) + " bytes");
  return Pages(Region{data, size});
}

Pages::Pages(Pages&& other) noexcept : region_(std::exchange(other.region_, Region{nullptr, 0})) {}

Pages::~Pages() {
  if (region_.data != nullptr) munmap(region_.data, region_.size);
}

size_t Pages::ResidentBytes() const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> in_ram((region_.size + page - 1) / page);
  if (mincore(region_.data, region_.size, in_ram.data()) != 0) return 0;
  const auto count = std::count_if(in_ram.begin(), in_ram.end(),
                                   [](unsigned char state) { return (state & 1) != 0; });
  return static_cast<size_t>(count) * page;
}

void Pages::Populate(size_t from, size_t to) const {
  from &= ~(kLargestPage - 1);
  to = std::min(RoundUp(to), region_.size);
  if (from < to) madvise(static_cast<uint8_t*>(region_.data) + from, to - from, kPopulateWrite);
}

void Pages::Discard(size_t bytes) const {
  madvise(region_.data, std::min(RoundUp(bytes), region_.size), MADV_DONTNEED);
}

Status Pages::MakeReadOnly() const {
  if (mprotect(region_.data, region_.size, PROT_READ) == 0) return {};
  return Error::FromErrno("mprotect", std::to_string(region_.size) + " bytes");
}

Region Pages::Leak() { return std::exchange(region_, Region{nullptr, 0}); }

}  // namespace jprof
