// Runs a nested handler at every instruction of SampleBlocks::Push, at the next nesting level.
#include <gtest/gtest.h>

#include <set>

#include "os/pages.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "support/sanitizer.h"
#include "support/single_step.h"

namespace jprof {
namespace {

using test::AtEveryInstruction;

constexpr size_t kBlocks = 64;
constexpr uint32_t kBlockCapacity = SampleBlock::CapacityFor(SampleKind::kCpu);

Sample SampleAt(Nanos time_ns) {
  Sample sample{};
  sample.time_ns = time_ns;
  sample.trace = CallTraceId{uint64_t{1} << 32};
  return sample;
}

// Tests every instruction, or every eighth under a sanitizer, which multiplies the instructions.
constexpr size_t kBlockStride = test::kUnderSanitizer ? 8 : 1;

// The nested pushes come at one instruction, which is each instruction in turn. They fill a whole
// block and then drain, as if the recorder ran just then. A push that fills its block has more
// instructions than the others, which do not reach the last of them.
TEST(BlocksNestedTest, PushesAndADrainInsideAPushLoseNothing) {
  Result<Pages> pages = Pages::Reserve(SampleBlocks::RegionSize(kBlocks));
  SampleBlocks blocks(pages.value().region(), kBlocks);
  ThreadSlot thread{};
  std::multiset<Nanos> seen;
  const auto drain = [&] {
    blocks.Drain(1, [&](const Sample& sample) { seen.insert(sample.time_ns); });
  };
  size_t steps = 1;
  size_t with_nested = 0;
  size_t pushes = 0;
  for (size_t at = 0; at < steps; at += kBlockStride) {
    seen.clear();
    bool outer = false;
    uint32_t nested = 0;
    size_t step = 0;
    steps = AtEveryInstruction([&] { outer = blocks.Push(thread, 0, SampleAt(-1)); },
                               [&] {
                                 if (step++ != at) return;
                                 for (Nanos i = 0; i < kBlockCapacity; ++i) {
                                   nested += blocks.Push(thread, 1, SampleAt(i)) ? 1 : 0;
                                 }
                                 drain();
                               });
    drain();
    ASSERT_TRUE(outer) << "nested at instruction " << at;
    ASSERT_EQ(nested, at < step ? kBlockCapacity : 0);
    ASSERT_EQ(seen.size(), nested + 1) << "nested at instruction " << at;
    ASSERT_EQ(seen.count(-1), 1u);
    with_nested += nested != 0 ? 1 : 0;
    ++pushes;
  }
  EXPECT_GE(with_nested + 4, pushes);
}

}  // namespace
}  // namespace jprof
