#include "sigsafe/sampling/wall_accounting.h"

namespace jprof {

void BeginWallTime(ProfiledThread& thread, const SamplingState& state, Nanos interval_ns) {
  const Nanos claimed_ns = thread.claimed_ns.load(std::memory_order_relaxed);
  const Nanos begin_ns = claimed_ns > state.start_ns ? claimed_ns : state.start_ns;
  thread.wall_previous_ns.store(begin_ns, std::memory_order_relaxed);
  thread.wall_baseline_ns.store(WallCutBefore(begin_ns, interval_ns), std::memory_order_relaxed);
  thread.LastStackOf(SampleKind::kWall).trace.store(kNoTrace, std::memory_order_relaxed);
  thread.session.store(state.session, std::memory_order_relaxed);
}

WallSpan AccountWallTime(ProfiledThread& thread, const SamplingState& state, Nanos now_ns) {
  const Nanos interval_ns = state.IntervalOf(SampleKind::kWall);
  // A handler that was held up while its engine stopped, or its session.
  if (interval_ns == 0) return {0, 0};
  if (thread.session.load(std::memory_order_relaxed) != state.session) {
    BeginWallTime(thread, state, interval_ns);
  }
  Nanos baseline_ns = thread.wall_baseline_ns.load(std::memory_order_relaxed);
  const Nanos weight_ns = (now_ns - baseline_ns) / interval_ns * interval_ns;
  if (weight_ns <= 0) return {0, 0};
  if (!thread.wall_baseline_ns.compare_exchange_strong(baseline_ns, baseline_ns + weight_ns,
                                                       std::memory_order_relaxed)) {
    return {0, 0};  // the other side was first
  }
  const Nanos elapsed_ns =
      now_ns - thread.wall_previous_ns.exchange(now_ns, std::memory_order_relaxed);
  return {static_cast<uint64_t>(weight_ns), elapsed_ns};
}

}  // namespace jprof
