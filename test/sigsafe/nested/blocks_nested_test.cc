// Runs a nested handler, whose guard has the next level, at every instruction of
// SampleBlocks::Push.
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

// Every instruction is tested. Under a sanitizer only every eighth one is, because a sanitizer
// multiplies the instructions.
constexpr size_t kBlockStride = test::kUnderSanitizer ? 8 : 1;

// Each push is interrupted at one instruction, and the next push one step later. At that
// instruction, nested pushes fill a whole block, and then the blocks are drained, as the recorder
// would do. A push that fills its block has more instructions than other pushes. So `at` can lie
// beyond the end of a push, which is then not interrupted.
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
