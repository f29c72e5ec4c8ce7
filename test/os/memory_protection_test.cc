#include "os/memory_protection.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace jprof {
namespace {

class MemoryProtectionTest : public testing::Test {
 protected:
  static constexpr int kProtections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
                                         PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC};

  MemoryProtectionTest()
      : page_size_(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        begin_(static_cast<uint8_t*>(mmap(nullptr, page_size_ * std::size(kProtections), PROT_READ,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    for (size_t i = 0; i < std::size(kProtections); ++i) {
      EXPECT_EQ(mprotect(begin_ + i * page_size_, page_size_, kProtections[i]), 0);
    }
  }
  ~MemoryProtectionTest() override { munmap(begin_, page_size_ * std::size(kProtections)); }

  uintptr_t Page(size_t index) const {
    return reinterpret_cast<uintptr_t>(begin_) + index * page_size_;
  }

  static MemoryProtection Now() { return std::move(MemoryProtection::Snapshot()).value(); }

  const size_t page_size_;
  uint8_t* const begin_;
};

TEST_F(MemoryProtectionTest, EveryByteOfAPageHasItsProtection) {
  const MemoryProtection now = Now();
  for (size_t i = 0; i < std::size(kProtections); ++i) {
    EXPECT_EQ(now.Of(Page(i)), kProtections[i]);
    EXPECT_EQ(now.Of(Page(i) + page_size_ - 1), kProtections[i]);
  }
}

TEST_F(MemoryProtectionTest, UnmappedMemoryHasNoProtection) {
  const MemoryProtection now = Now();
  EXPECT_EQ(now.Of(0), PROT_NONE);
  EXPECT_EQ(now.Of(UINTPTR_MAX), PROT_NONE);
}

}  // namespace
}  // namespace jprof
