#include "sigsafe/os/perf_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <vector>

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kPage = 4096;
constexpr size_t kWords = kPage / sizeof(uint64_t);
constexpr auto kKernelMark = static_cast<uint64_t>(PERF_CONTEXT_KERNEL);
constexpr auto kUserMark = static_cast<uint64_t>(PERF_CONTEXT_USER);

// The two pages of a ring, with records as the kernel writes them.
class Ring {
 public:
  void Write(const std::vector<uint64_t>& addresses) {
    const uint64_t bytes = (2 + addresses.size()) * sizeof(uint64_t);
    WriteRecord(PERF_RECORD_SAMPLE | bytes << 48, addresses.size(), addresses);
  }

  void WriteRecord(uint64_t header, uint64_t count, const std::vector<uint64_t>& words) {
    head_ -= (2 + words.size()) * sizeof(uint64_t);
    size_t at = head_ / sizeof(uint64_t);
    const auto put = [&](uint64_t word) { pages_[kWords + at++ % kWords] = word; };
    put(header);
    put(count);
    for (const uint64_t word : words) put(word);
    reinterpret_cast<perf_event_mmap_page*>(pages_.data())->data_head = head_;
  }

  std::vector<uint64_t> Newest(uint32_t room = 100) const {
    std::vector<uint64_t> addresses(room);
    addresses.resize(NewestKernelChain(pages_.data(), kPage, addresses.data(), room));
    return addresses;
  }

 private:
  alignas(kPage) std::array<uint64_t, 2 * kWords> pages_{};
  uint64_t head_ = 0;
};

TEST(PerfRingTest, ARingWithoutRecordsHasNoChain) { EXPECT_THAT(Ring().Newest(), IsEmpty()); }

TEST(PerfRingTest, TheNewestChainComesWithoutItsMarks) {
  Ring ring;
  ring.Write({kKernelMark, 1, 2});
  ring.Write({kKernelMark, 3, 4, 5});
  EXPECT_THAT(ring.Newest(), ElementsAre(3, 4, 5));
  EXPECT_THAT(ring.Newest(2), ElementsAre(3, 4));
}

TEST(PerfRingTest, LeavesOutFramesOfUserCode) {
  Ring ring;
  ring.Write({kKernelMark, 1, kUserMark, 2});
  EXPECT_THAT(ring.Newest(), ElementsAre(1));
  ring.Write({});
  EXPECT_THAT(ring.Newest(), IsEmpty());
}

TEST(PerfRingTest, ReadsRecordsAcrossTheEndOfThePage) {
  Ring ring;
  for (uint64_t i = 0; i < 1000; ++i) {
    ring.Write({kKernelMark, i, i + 1, i + 2, i + 3});
    ASSERT_THAT(ring.Newest(), ElementsAre(i, i + 1, i + 2, i + 3));
  }
}

TEST(PerfRingTest, IgnoresRecordsThatAreNotSamples) {
  Ring ring;
  ring.WriteRecord(PERF_RECORD_LOST | uint64_t{24} << 48, 1, {7});
  EXPECT_THAT(ring.Newest(), IsEmpty());
  ring.WriteRecord(PERF_RECORD_SAMPLE | uint64_t{24} << 48, 1'000'000, {7});
  EXPECT_THAT(ring.Newest(), IsEmpty());
}

}  // namespace
}  // namespace jprof
