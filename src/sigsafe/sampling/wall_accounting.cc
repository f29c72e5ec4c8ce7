#include "sigsafe/sampling/wall_accounting.h"

#include <algorithm>

namespace jprof {
namespace {

// Returns the part of the accounted time `weight_ns` that is in windows, and counts the rest
// (AddOutsideWindows). If the engine has not made its tick for a cut yet, the next call accounts
// for that tick, so that the sum is right.
Nanos InWindows(ThreadSlot& thread, const SamplingState& state, Nanos weight_ns) {
  if (!state.window.IsLimited()) return weight_ns;
  const Nanos ticks_ns = state.wall_ticks_in_windows_ns.load(std::memory_order_relaxed) -
                         thread.wall_ticks_in_windows_ns.load(std::memory_order_relaxed);
  const Nanos inside_ns = std::clamp<Nanos>(ticks_ns, 0, weight_ns);
  thread.wall_ticks_in_windows_ns.fetch_add(inside_ns, std::memory_order_relaxed);
  if (inside_ns != weight_ns) {
    AddOutsideWindows(SampleKind::kWall, static_cast<uint64_t>(weight_ns - inside_ns));
  }
  return inside_ns;
}

}  // namespace

void BeginWallTime(ThreadSlot& thread, const SamplingState& state, Nanos interval_ns) {
  const Nanos claimed_ns = thread.claimed_ns.load(std::memory_order_relaxed);
  const Nanos begin_ns = claimed_ns > state.start_ns ? claimed_ns : state.start_ns;
  thread.wall_previous_ns.store(begin_ns, std::memory_order_relaxed);
  thread.wall_baseline_ns.store(WallCutBefore(begin_ns, interval_ns), std::memory_order_relaxed);
  thread.wall_ticks_in_windows_ns.store(
      state.wall_ticks_in_windows_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
  thread.LastStackOf(SampleKind::kWall).trace.store(kNoCallTrace, std::memory_order_relaxed);
  thread.run.store(state.run, std::memory_order_relaxed);
}

WallInterval AccountWallTime(ThreadSlot& thread, const SamplingState& state, Nanos now_ns) {
  const Nanos interval_ns = state.IntervalOf(SampleKind::kWall);
  // The interval is 0 if this handler was delayed while its engine or its sampler stopped.
  if (interval_ns == 0) return {0, 0};
  if (thread.run.load(std::memory_order_relaxed) != state.run) {
    BeginWallTime(thread, state, interval_ns);
  }
  Nanos baseline_ns = thread.wall_baseline_ns.load(std::memory_order_relaxed);
  const Nanos weight_ns = (now_ns - baseline_ns) / interval_ns * interval_ns;
  if (weight_ns <= 0) return {0, 0};
  if (!thread.wall_baseline_ns.compare_exchange_strong(baseline_ns, baseline_ns + weight_ns,
                                                       std::memory_order_relaxed)) {
    return {0, 0};  // the thread or the engine has accounted for this time first
  }
  const Nanos inside_ns = InWindows(thread, state, weight_ns);
  const Nanos elapsed_ns =
      now_ns - thread.wall_previous_ns.exchange(now_ns, std::memory_order_relaxed);
  return {static_cast<uint64_t>(inside_ns), elapsed_ns};
}

}  // namespace jprof
