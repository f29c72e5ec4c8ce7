#include "native/walk_probe/timing_task.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sigsafe/os/clock.h"
#include "sigsafe/stack/asgct_walker.h"

namespace jprof::test {
namespace {

constexpr double kBinsAnOctave = 4;
constexpr const char* kNames[] = {"own", "agct"};
// Walks with fewer frames are not counted, because they are not in the deep stack that is measured.
constexpr uint32_t kFewestFrames = 20;
constexpr uint32_t kDeep = 2048;

}  // namespace

void TimingTask::Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) {
  const size_t which = begun_.load(std::memory_order_relaxed) % kWalkers;
  // During a deep walk the thread can lose its processor, so that its CPU clock is used. For short
  // walks this clock is too slow: reading it takes as long as a few frames.
  const clockid_t clock = buffer.depth > kDeep ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  uint32_t frames = 0;
  const Nanos start_ns = ReadClock(clock);
  if (which == 0) {
    FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth);
    WalkInterrupted(vm_, StackMode::kVm, WalkUntil::kThreadEntry, jni_env, context, &sink);
    frames = sink.Finish();
  } else {
    const AsgctResult result =
        WalkByAsgct(asgct_, const_cast<void*>(jni_env), const_cast<ucontext_t*>(context),
                    buffer.java, buffer.depth);
    frames = result.frames;
    if (frames == 0) {
      failed_[static_cast<size_t>(result.outcome)].fetch_add(1, std::memory_order_relaxed);
    }
  }
  const Nanos nanos = ReadClock(clock) - start_ns;
  begun_.fetch_add(1, std::memory_order_relaxed);
  if (frames < kFewestFrames) return;
  Times& times = times_[which];
  const double bin = std::log2(static_cast<double>(nanos)) * kBinsAnOctave;
  const auto index = static_cast<size_t>(std::clamp<double>(bin, 0, kBins - 1));
  times.bins[index].fetch_add(1, std::memory_order_relaxed);
  times.walks.fetch_add(1, std::memory_order_relaxed);
  times.frames.fetch_add(frames, std::memory_order_relaxed);
  times.nanos.fetch_add(static_cast<uint64_t>(nanos), std::memory_order_relaxed);
}

double TimingTask::Median(const Times& times) {
  uint64_t below = 0;
  for (size_t i = 0; i < kBins; ++i) {
    below += times.bins[i];
    if (2 * below >= times.walks) return std::exp2((static_cast<double>(i) + 0.5) / kBinsAnOctave);
  }
  return 0;
}

std::string TimingTask::Text() const {
  std::string text;
  char line[200];
  for (size_t which = 0; which < kWalkers; ++which) {
    const Times& times = times_[which];
    const auto walks = static_cast<double>(std::max<uint64_t>(1, times.walks));
    const double frames = static_cast<double>(times.frames) / walks;
    snprintf(line, sizeof line,
             "time.%s walks=%.0f\ntime.%s frames=%.1f\ntime.%s median_ns=%.0f\n"
             "time.%s ns_a_frame=%.1f\n",
             kNames[which], walks, kNames[which], frames, kNames[which], Median(times),
             kNames[which], Median(times) / std::max(1.0, frames));
    text += line;
    for (size_t i = 0; i < kBins; ++i) {
      if (times.bins[i] == 0) continue;
      snprintf(line, sizeof line, "bin.%s %.0f=%llu\n", kNames[which],
               std::exp2((static_cast<double>(i) + 1) / kBinsAnOctave),
               static_cast<unsigned long long>(times.bins[i].load()));
      text += line;
    }
  }
  for (size_t i = 0; i < kWalkOutcomeCount; ++i) {
    if (failed_[i] == 0) continue;
    snprintf(line, sizeof line, "time.agct_failed %s=%llu\n",
             FrameName(static_cast<WalkOutcome>(i)),
             static_cast<unsigned long long>(failed_[i].load()));
    text += line;
  }
  return text;
}

}  // namespace jprof::test
