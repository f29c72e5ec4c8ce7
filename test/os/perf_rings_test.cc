#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "os/perf_event.h"
#include "sigsafe/os/perf_ring.h"
#include "sigsafe/os/thread_id.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

constexpr uint32_t kRoom = 128;
constexpr size_t kPlace = 3;

class PerfRingsTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status allowed = PerfEvent::CheckIsAllowed(PerfEvent::Kernel::kStacks);
    if (!allowed.ok()) GTEST_SKIP() << allowed.error().message();
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
    rings_.reset(PerfRings::Reserve(16).value());
  }

  std::vector<uint64_t> Newest(size_t place) {
    std::vector<uint64_t> addresses(kRoom);
    const uint8_t* ring = rings_->base() + place * 2 * rings_->page_bytes();
    addresses.resize(NewestKernelChain(ring, rings_->page_bytes(), addresses.data(), kRoom));
    return addresses;
  }

  std::unique_ptr<PerfRings> rings_;
};

// SIGURG is ignored by default. The event fires often enough to find the thread inside a system
// call at some time.
TEST_F(PerfRingsTest, ShowsTheKernelStackInThePlaceOfTheEvent) {
  Result<PerfEvent> event =
      PerfEvent::Open(CurrentTid(), SIGURG, 100'000, PerfEvent::Kernel::kStacks);
  ASSERT_TRUE(event.ok()) << event.error().message();
  ASSERT_TRUE(rings_->Map(event.value().fd(), kPlace).ok());
  EXPECT_TRUE(Newest(kPlace).empty());
  event.value().Enable();
  std::vector<uint64_t> chain;
  for (int i = 0; i < 1'000'000 && chain.empty(); ++i) {
    getppid();
    chain = Newest(kPlace);
  }
  event.value().Disable();
  EXPECT_FALSE(chain.empty());
  EXPECT_TRUE(std::all_of(chain.begin(), chain.end(), [](uint64_t address) {
    return address >> 63 == 1;  // the upper half belongs to the kernel
  }));
  EXPECT_TRUE(Newest(kPlace - 1).empty());
  rings_->Unmap(kPlace);
  EXPECT_TRUE(Newest(kPlace).empty());
}

TEST_F(PerfRingsTest, AnEventWithoutARingIsAnErrorAndLeavesZeros) {
  EXPECT_FALSE(rings_->Map(STDERR_FILENO, kPlace).ok());
  EXPECT_TRUE(Newest(kPlace).empty());
}

}  // namespace
}  // namespace jprof
