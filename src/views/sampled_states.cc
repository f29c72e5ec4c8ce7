#include "views/sampled_states.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {
namespace {

using profile::Interval;
using profile::Profile;

constexpr std::string_view kSafepointFrame = "SafepointSynchronize::block";

struct StateRow {
  std::string_view jfr_name;
  LifeState state;
};
constexpr StateRow kStatesOfSamples[] = {{"STATE_BLOCKED_ON_MONITOR_ENTER", LifeState::kBlocked},
                                         {"STATE_IN_OBJECT_WAIT", LifeState::kWaiting},
                                         {"STATE_PARKED", LifeState::kParked},
                                         {"STATE_SLEEPING", LifeState::kSleeping},
                                         {"STATE_IN_IO", LifeState::kIo},
                                         {"STATE_RUNNABLE", LifeState::kCpu},
                                         {"STATE_WAITING_FOR_CPU", LifeState::kRunnable}};

// Returns the state of the thread at a sample; nullopt if it was not recorded.
std::optional<LifeState> StateOf(const Profile& profile, const SampledInterval& sample) {
  const auto* const row =
      std::ranges::find(kStatesOfSamples, profile.states[sample.state], &StateRow::jfr_name);
  if (row == std::end(kStatesOfSamples)) return std::nullopt;
  const bool is_waiting = row->state != LifeState::kCpu && row->state != LifeState::kRunnable;
  return is_waiting && sample.is_at_safepoint ? LifeState::kSafepoint : row->state;
}

// Returns how late, at most, the agent noticed the end of a sleep that lasted `slept_ns`. The agent
// looks at a sleeping thread less and less often (chunks/idle_rule.h). When it finds the thread in
// a new state, it counts only the last interval as the new state. All of the time since its
// previous look, except that interval, counts as sleep, but might already belong to the new state.
double LongestDelay(double slept_ns, double interval_ns) {
  const double gap = std::clamp(std::floor(slept_ns / interval_ns / 8), 1.0, 64.0);
  return (gap - 1) * interval_ns;
}

}  // namespace

// Visits the nodes in the order of their numbers. A parent has a lower number than its children, so
// it is visited before them.
void MarkSafepoints(const Profile& profile, std::span<SampledInterval> samples) {
  std::vector<bool> methods;
  for (uint32_t i = 0; i < profile.methods().size(); ++i) {
    methods.push_back(profile.MethodText(i).find(kSafepointFrame) != std::string::npos);
  }
  std::vector<bool> stacks = {false};  // the root
  for (uint32_t node = 1; node < profile.stacks.size(); ++node) {
    const uint32_t method = profile.frames()[profile.stacks.frame(node)].method;
    stacks.push_back(stacks[profile.stacks.parent(node)] || methods[method]);
  }
  for (SampledInterval& sample : samples) {
    sample.is_at_safepoint = stacks[sample.stack];
    sample.stack = profile::CallTree::kRoot;
  }
}

double Overlap(Interval a, Interval b) {
  const int64_t from_ns = std::max(a.from_ns, b.from_ns);
  const int64_t to_ns = std::min(a.to_ns, b.to_ns);
  return from_ns < to_ns ? static_cast<double>(to_ns - from_ns) : 0;
}

// A change of state happened at an unknown moment in the interval of the first sample of the new
// state. The variance of this moment is taken to be half the square of the interval. This is exact
// for states that are shorter than an interval, and too large for longer states.
StateTimes SampledStates(const Profile& profile, const SampledInterval* first,
                         const SampledInterval* last, Interval life, SleepEnd sleep_end) {
  StateTimes sums;
  std::optional<LifeState> before;
  double cut_variance = 0;  // variance due to the position of the intervals within `life`
  double delay_ns = 0;      // longest possible delay in seeing the end of the last state
  const auto add = [&sums](std::optional<LifeState> state, double ns, double variance) {
    if (!state) return;
    StateTime& sum = sums[static_cast<size_t>(*state)];
    sum.ns += ns;
    sum.variance += variance;
    sum.sources = kOfWallSamples;
  };
  for (const SampledInterval* each = first; each != last; ++each) {
    const auto interval_ns = static_cast<double>(profile.kinds[each->kind].interval_ns);
    const double ns = Overlap(each->interval, life);
    if (interval_ns == 0) continue;
    cut_variance = interval_ns * interval_ns / 6;
    const std::optional<LifeState> state = StateOf(profile, *each);
    if (ns > 0 && (each == first || state != before)) {
      const double variance = ns * ns / 2 + delay_ns * delay_ns / 12;
      add(before, -delay_ns / 2, variance);
      add(state, delay_ns / 2, variance);
    }
    if (ns > 0) add(state, ns, 0);
    delay_ns = sleep_end == SleepEnd::kSeenAtOnce ? 0 : std::min(LongestDelay(ns, interval_ns), ns);
    before = state;
  }
  for (StateTime& sum : sums) {
    sum.ns = std::round(std::max(sum.ns, 0.0));
    if (sum.ns > 0) sum.variance += cut_variance;
  }
  return sums;
}

}  // namespace jprof
