// The thread that a sample belongs to, and the thread that takes the sample.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sigsafe/sampling/context_reader.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"

extern "C" {
extern
    __attribute__((tls_model("initial-exec"))) __thread const profiler_context* otel_thread_ctx_v1;
}

namespace jprof {
namespace {

using test::SamplingWorld;

class OnePage : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kAlloc;
  void Account(ThreadSlot&, Sample* sample) const { sample->weight = 4096; }
};

class SubjectTest : public testing::Test {
 protected:
  SubjectTest() : thread_(world_.RegisterCurrentThread()) { world_.Activate(); }
  ~SubjectTest() override { SetCurrentThread(nullptr); }

  SamplingWorld world_;
  ThreadSlot* const thread_;
};

TEST_F(SubjectTest, ASampleWithoutAStackNeedsNoWalkBuffer) {
  WalkBuffer buffer;
  while (world_.buffers().Claim(&buffer)) {
  }
  TakeSample(Subject::Reported(41), NoStack(), OnePage());
  TakeSample(Subject::Reported(0), NoStack(), OnePage());
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].thread, SampledThread::Virtual(41));
  EXPECT_EQ(samples[1].thread.serial(), thread_->serial.load());
}

// The thread that stops a recording takes the samples of threads that still wait.
TEST_F(SubjectTest, TheSampleOfAnotherThreadHasThatThreadAndNoContextOfTheTaker) {
  FullContextMemory memory;
  ContextRecord& record = *memory.block.RecordAt(0);
  record.own = {21, 22, 0, {}};
  record.published.valid = PROFILER_CONTEXT_VALID;
  SetContextsAreRead();
  SetOwnContextBlock(&memory.block);
  otel_thread_ctx_v1 = &record.published;
  const auto other = SampledThread::Platform(77, Tid{78});
  TakeSample(Subject::Other(other), CallingThread(), OnePage());
  TakeSample(Subject::Taker(), CallingThread(), OnePage());
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].thread, other);
  EXPECT_EQ(samples[0].context, 0u);
  EXPECT_EQ(samples[1].thread.serial(), thread_->serial.load());
  EXPECT_NE(samples[1].context, 0u) << "the taker has a context";
  SetOwnContextBlock(nullptr);
  otel_thread_ctx_v1 = nullptr;
}

TEST_F(SubjectTest, ATakerWithoutAThreadTakesSamplesOfOthersAndPublishesTheirNames) {
  std::vector<int64_t> memory(VirtualThreadNames::kRegionSize / sizeof(int64_t));
  VirtualThreadNames names({memory.data(), VirtualThreadNames::kRegionSize});
  Sampling().names = &names;
  ThreadSlot* const taker = GetThreadSlots()->Claim(Tid{0});
  ASSERT_NE(taker, nullptr);
  const auto other = SampledThread::Virtual(42);
  ThreadNameBytes name{};
  name.size = 1;
  name.bytes[0] = 'v';
  TakeSample(taker, Subject::Other(other, &name), NoStack(), OnePage());
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].thread, other);
  std::vector<std::string> taken;
  names.Take(42, [&](int64_t, const ThreadNameBytes& published) {
    taken.emplace_back(published.bytes, published.size);
  });
  EXPECT_EQ(taken, std::vector<std::string>{"v"});
  Sampling().names = nullptr;
  GetThreadSlots()->Release(taker);
}

}  // namespace
}  // namespace jprof
