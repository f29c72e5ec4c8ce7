// A nested handler anywhere inside SampleRing::Push.
#include <gtest/gtest.h>

#include <set>

#include "os/pages.h"
#include "sigsafe/sampling/sample_ring.h"
#include "support/single_step.h"

namespace jprof {
namespace {

using test::AtEveryInstruction;

Sample SampleAt(Nanos time_ns) {
  Sample sample{};
  sample.time_ns = time_ns;
  sample.intervals = 1;
  return sample;
}

// The nested pushes come at one chosen instruction, until all were chosen.
TEST(RingNestedTest, APushInsideAPushLosesNeither) {
  Result<Pages> pages = Pages::Reserve(SampleRing::kRegionSize);
  SampleRing ring(pages.value().region());
  size_t steps = 1;
  for (size_t at = 0; at < steps; ++at) {
    bool outer = false;
    int nested = 0;
    size_t step = 0;
    steps = AtEveryInstruction([&] { outer = ring.Push(SampleAt(10)); },
                               [&] {
                                 if (step++ != at) return;
                                 nested += ring.Push(SampleAt(1)) ? 1 : 0;
                                 nested += ring.Push(SampleAt(2)) ? 1 : 0;
                               });
    ASSERT_TRUE(outer) << "nested at instruction " << at;
    ASSERT_EQ(nested, 2);
    std::multiset<Nanos> seen;
    ring.Drain([&](const Sample& sample) { seen.insert(sample.time_ns); });
    ASSERT_EQ(seen, (std::multiset<Nanos>{1, 2, 10})) << "nested at instruction " << at;
  }
}

// With one slot left the outer and the nested push compete for it: one gets it, the other is told.
TEST(RingNestedTest, APushInsideAPushOnAnAlmostFullRingIsToldWhoWasRefused) {
  Result<Pages> pages = Pages::Reserve(SampleRing::kRegionSize);
  SampleRing ring(pages.value().region());
  size_t steps = 1;
  for (size_t at = 0; at < steps; ++at) {
    for (uint64_t i = 1; i < SampleRing::kCapacity; ++i) ASSERT_TRUE(ring.Push(SampleAt(0)));
    bool outer = false;
    bool nested = false;
    size_t step = 0;
    steps = AtEveryInstruction([&] { outer = ring.Push(SampleAt(1)); },
                               [&] {
                                 if (step++ == at) nested = ring.Push(SampleAt(2));
                               });
    Nanos got = 0;
    ring.Drain([&](const Sample& sample) { got += sample.time_ns; });
    ASSERT_NE(outer, nested) << "nested at instruction " << at;
    ASSERT_EQ(got, outer ? 1 : 2);
  }
}

}  // namespace
}  // namespace jprof
