// Tests that a sample makes no system call under the guard of the tables, by looking at each
// instruction.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>

#include <functional>

#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/wall_sampling.h"
#include "support/sampling_world.h"
#include "support/single_step.h"

namespace jprof {
namespace {

using test::SteppedInstruction;

class GuardedCallsTest : public testing::Test {
 protected:
  GuardedCallsTest() : thread_(*world_.RegisterCurrentThread()) {
    world_.Activate();
    thread_.run = Sampling().run;
  }

  struct Seen {
    size_t guarded = 0;       // instructions under a guard
    size_t system_calls = 0;  // system calls among them
  };
  // Counts the instructions and system calls that `sample` makes under a guard. Ignores
  // clock_gettime, which is a system call only if the kernel does not map the clock into the
  // process.
  Seen LookAt(std::function<void()> sample) {
    Seen seen;
    test::AtEveryInstruction(sample, [&] {
      if (thread_.guards.depth.load(std::memory_order_relaxed) == 0) return;
      ++seen.guarded;
      const SteppedInstruction next = test::NextInstruction();
      const bool is_fallback =
          next.system_call == SYS_clock_gettime && next.argument == CLOCK_MONOTONIC;
      seen.system_calls += next.system_call >= 0 && !is_fallback ? 1 : 0;
    });
    return seen;
  }

  test::SamplingWorld world_;
  ThreadSlot& thread_;
};

TEST_F(GuardedCallsTest, MakesNoSystemCallUnderTheGuard) {
  const Frame frame = NativeFrame(Pc{1});
  const Stack stack{&frame, 1, false};
  const WalkedStack walked{.stack = &stack};
  const std::function<void()> samples[] = {
      [&] {
        CpuSampling policy(1);
        RecordSample(policy, thread_, walked);
      },
      [&] {
        WallSampling policy(true, ThreadActivity::kRunning, 0);
        RecordSample(policy, thread_, walked);
      },
      [&] { PiggybackCpuSample(thread_, walked); },
      [&] { RecordCpuThreadEnd(thread_); },
      [&] { RecordWallThreadEnd(thread_); },
  };
  for (const auto& sample : samples) {
    thread_.cpu_due_ns = 1;
    thread_.wall_baseline_ns = 0;
    const Seen seen = LookAt(sample);
    EXPECT_EQ(world_.Drain().size(), 1u) << "sample " << &sample - samples;
    EXPECT_GT(seen.guarded, 10u);
    EXPECT_EQ(seen.system_calls, 0u) << "sample " << &sample - samples;
  }
}

}  // namespace
}  // namespace jprof
