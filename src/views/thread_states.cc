#include "views/thread_states.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "jfr/format/jfr_types.h"

namespace jprof {
namespace {

using profile::Interval;
using profile::Profile;

constexpr std::string_view kThreadTime = JfrName(JfrType::kThreadTime);
constexpr std::string_view kThreadWaits = JfrName(JfrType::kWaitsOfThread);
constexpr std::string_view kVirtualTime = JfrName(JfrType::kVirtualThreadTime);
// A sampled time that is shorter than this many standard errors counts as 0.
constexpr double kSure = 4;
constexpr double kLongest = 9.2e18;  // nanoseconds, below the largest int64_t

constexpr LifeState kOfWaits[] = {LifeState::kBlocked, LifeState::kWaiting, LifeState::kParked};
constexpr LifeState kSampled[] = {LifeState::kBlocked,  LifeState::kWaiting, LifeState::kParked,
                                  LifeState::kSleeping, LifeState::kIo,      LifeState::kSafepoint};

constexpr const char* kFieldsOfWaits[] = {"blocked", "waiting", "parked"};  // in order of kOfWaits

LifeState StateOfWait(WaitType type) {
  switch (type) {
    case WaitType::kMonitorEnter:
      return LifeState::kBlocked;
    case WaitType::kMonitorWait:
    case WaitType::kClassInitialization:
      return LifeState::kWaiting;
    case WaitType::kSocket:
      return LifeState::kIo;
    default:
      return LifeState::kParked;
  }
}

// Returns for each number in Profile::threads() the last number of the same thread. A thread has
// several numbers if it got its name after its start or was renamed. Native threads that had the
// same system id at different times count as one thread.
std::vector<uint32_t> SameThreads(const Profile& profile) {
  std::map<std::pair<int64_t, int64_t>, uint32_t> last;  // keyed by the system's id and Java's id
  std::map<int64_t, std::set<int64_t>> java_ids;         // keyed by the system's id
  const std::vector<profile::ProfileThread>& threads = profile.threads();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    last[{threads[i].os_id, threads[i].java_id}] = i;
    if (threads[i].java_id != 0) java_ids[threads[i].os_id].insert(threads[i].java_id);
  }
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    const profile::ProfileThread& thread = threads[i];
    if (thread.is_virtual || thread.os_id == 0) {
      numbers.push_back(i);
      continue;
    }
    const std::set<int64_t>& known = java_ids[thread.os_id];
    const bool is_early = thread.java_id == 0 && known.size() == 1;
    numbers.push_back(last[{thread.os_id, is_early ? *known.begin() : thread.java_id}]);
  }
  if (numbers.empty()) numbers.push_back(0);  // the number for events without a thread
  return numbers;
}

template <typename States>
double SumOf(const States& states) {
  double sum = 0;
  for (const StateTime& each : states) sum += each.ns;
  return sum;
}

// Subtracts `ns` from the times of the states, in proportion to these times. No time becomes
// negative. Returns the part of `ns` that could not be subtracted.
double SubtractFrom(double ns, const std::vector<StateTime*>& states) {
  double sum = 0;
  for (const StateTime* each : states) sum += each->ns;
  if (ns <= 0 || sum <= 0) return ns;
  const double kept = ns >= sum ? 0 : 1 - ns / sum;
  double taken = 0;
  for (StateTime* each : states) {
    const double rest = std::floor(each->ns * kept);
    taken += each->ns - rest;
    each->ns = rest;
  }
  return ns - taken;
}

struct FieldRow {
  std::string_view name;
  LifeState state;
};
constexpr FieldRow kFields[] = {{"waitForCarrier", LifeState::kRunnable},
                                {"blocked", LifeState::kBlocked},
                                {"waiting", LifeState::kWaiting},
                                {"parked", LifeState::kParked},
                                {"sleeping", LifeState::kSleeping}};

// The states, other than kCpu, in which a virtual thread can be on its carrier. These times come
// from samples. The times of waits without a carrier come from probes.
constexpr LifeState kOnCarrier[] = {LifeState::kRunnable, LifeState::kSleeping, LifeState::kIo,
                                    LifeState::kSafepoint};

StateTime& At(StateTimes& times, LifeState state) { return times[static_cast<size_t>(state)]; }

void Add(const StateTime& part, StateTime& sum) {
  if (part.ns <= 0) return;
  sum.ns += part.ns;
  sum.variance += part.variance;
  sum.sources |= part.sources;
}

}  // namespace

void VirtualStates::OnEvent(const profile::ProfileEvent& event) {
  const int64_t first_id = event.event.Field("firstId").Long();
  if (first_id_ == 0 || first_id < first_id_) first_id_ = first_id;
  started_ += event.event.Field("started").Long();
  lifetime_ns_ += static_cast<double>(event.event.Field("lifetime").Nanos());
  for (const FieldRow& row : kFields) {
    const auto ns = static_cast<double>(event.event.Field(row.name).Nanos());
    Add({ns, 0, kOfProbes}, At(exact_, row.state));
  }
}

void VirtualStates::AddWaits(const StateTimes& waits) {
  for (size_t i = 0; i < kLifeStates; ++i) Add(waits[i], waits_[i]);
}

void VirtualStates::AddCpuSamples(double ns, double variance) {
  Add({ns, variance, kOfCpuSamples}, cpu_);
}

void VirtualStates::AddWallSamples(const StateTimes& sampled) {
  for (size_t i = 0; i < kLifeStates; ++i) Add(sampled[i], sampled_[i]);
}

StateTimes VirtualStates::States() const {
  if (HasLifetimes()) return OfProbes();
  StateTimes states = waits_;
  At(states, LifeState::kCpu) = cpu_;
  for (size_t i = 0; i < kLifeStates; ++i) {
    if (states[i].ns == 0) Add(sampled_[i], states[i]);
  }
  return states;
}

// If all times together exceed the lifetimes, scales the sampled times down. Only errors of the
// sampled times can cause the excess, because the sum of all other times is exact.
StateTimes VirtualStates::OfProbes() const {
  StateTimes states = exact_;
  StateTime sockets = waits_[static_cast<size_t>(LifeState::kIo)];
  StateTime& parked = At(states, LifeState::kParked);
  sockets.ns = std::min(std::round(sockets.ns), parked.ns);
  parked.ns -= sockets.ns;
  parked.variance += sockets.variance;
  Add(sockets, At(states, LifeState::kIo));
  double exact_ns = 0;
  for (const StateTime& each : states) exact_ns += each.ns;

  StateTimes on_carrier;
  At(on_carrier, LifeState::kCpu) =
      cpu_.ns > 0 ? cpu_ : sampled_[static_cast<size_t>(LifeState::kCpu)];
  for (const LifeState state : kOnCarrier) {
    StateTime& seen = At(on_carrier, state);
    seen = sampled_[static_cast<size_t>(state)];
    if (state != LifeState::kSleeping && state != LifeState::kIo) continue;
    // The samples also show the waits without a carrier, whose time is known from the probes.
    const StateTime& known = At(states, state);
    seen.ns -= known.ns;
    if (seen.ns < kSure * std::sqrt(seen.variance + known.variance)) seen = {};
  }
  double sampled_ns = 0;
  double variance = 0;
  for (const StateTime& each : on_carrier) {
    sampled_ns += each.ns;
    variance += each.variance;
  }
  const double rest_ns = std::max(lifetime_ns_ - exact_ns, 0.0);
  const double kept = sampled_ns > rest_ns ? rest_ns / sampled_ns : 1;
  double sum_ns = 0;
  for (size_t i = 0; i < kLifeStates; ++i) {
    on_carrier[i].ns = std::floor(on_carrier[i].ns * kept);
    Add(on_carrier[i], states[i]);
    sum_ns += states[i].ns;
  }
  At(states, LifeState::kUnattributed) = {lifetime_ns_ - sum_ns, variance, kOfRest};
  return states;
}

bool ThreadStates::IsWanted(const profile::RecordedType& type) {
  return type.name == kThreadTime || type.name == kThreadWaits || type.name == kVirtualTime ||
         IsOfWait(type);
}

void ThreadStates::OnEvent(const profile::ProfileEvent& event) {
  const std::string_view type = event.event.type().name;
  if (type == kVirtualTime) return virtual_.OnEvent(event);
  if (IsOfWait(event.event.type())) {
    Add(WaitOf(event));
    return;
  }
  if (!event.thread) return;
  const auto nanos = [&event](std::string_view field) {
    return static_cast<double>(std::max<int64_t>(event.event.Field(field).Nanos(), 0));
  };
  if (type == kThreadWaits) {
    StateTimes& sums = sums_[*event.thread];
    for (size_t i = 0; i < std::size(kOfWaits); ++i) {
      StateTime& sum = sums[static_cast<size_t>(kOfWaits[i])];
      sum.ns += nanos(kFieldsOfWaits[i]);
      sum.sources = kOfWaitSums;
    }
    return;
  }
  const Times times{profile::IntervalFrom(event.time_ns, event.duration_ns),
                    static_cast<double>(event.duration_ns), nanos("cpuTime"),
                    nanos("runQueueTime")};
  times_.try_emplace(*event.thread, Times{times.interval}).first->second.Add(times);
}

void ThreadStates::Add(const RecordedWait& wait) {
  waits_.push_back({wait.thread, StateOfWait(wait.type), wait.is_of_java(), wait.time_ns,
                    wait.stands_for_ns, wait.waited_ns, wait.variance()});
}

void ThreadStates::Times::Add(const Times& other) {
  interval = {std::min(interval.from_ns, other.interval.from_ns),
              std::max(interval.to_ns, other.interval.to_ns)};
  lifetime_ns += other.lifetime_ns;
  cpu_ns += other.cpu_ns;
  queued_ns += other.queued_ns;
}

void ThreadStates::OnSample(const profile::Sample& sample) {
  if (sample.covers_ns < 0) {
    intervals_.push_back(
        {sample.thread, sample.kind, sample.state, sample.stack, profile::IntervalOf(sample)});
  } else {
    moments_[{sample.thread, sample.kind}] += sample.samples;
  }
}

void ThreadStates::OnStacksForgotten(const Profile& profile) {
  MarkSafepoints(profile, std::span(intervals_).subspan(marked_));
  marked_ = intervals_.size();
}

StateTimes ThreadStates::WaitsOf(const std::vector<const Wait*>& waits, const StateTimes* known,
                                 Interval life) {
  StateTimes sums = known == nullptr ? StateTimes{} : *known;
  for (const Wait* wait : waits) {
    if (known != nullptr && wait->is_of_java) continue;
    StateTime& sum = sums[static_cast<size_t>(wait->state)];
    const auto whole_ns = static_cast<int64_t>(std::min(wait->stands_for_ns, kLongest));
    const Interval interval = profile::IntervalFrom(wait->time_ns, whole_ns);
    sum.sources |= kOfLockEvents;
    if (wait->waited_ns >= wait->stands_for_ns) {
      sum.ns += Overlap(interval, life);
    } else if (interval.to_ns > life.from_ns && interval.to_ns <= life.to_ns) {
      sum.ns += wait->stands_for_ns;  // the event stands for many waits at unknown times
      sum.variance += std::max(wait->variance, 0.0);
    }
  }
  return sums;
}

std::vector<ThreadLife> ThreadStates::Lives(const Profile& profile) {
  const std::vector<uint32_t> numbers = SameThreads(profile);
  std::map<uint32_t, Times> lived;
  for (const auto& [thread, times] : times_) {
    lived.try_emplace(numbers[thread], Times{times.interval}).first->second.Add(times);
  }
  Waits waits;
  for (const Wait& wait : waits_) waits[numbers[wait.thread]].push_back(&wait);
  OnStacksForgotten(profile);
  for (SampledInterval& each : intervals_) each.thread = numbers[each.thread];
  std::ranges::sort(intervals_, [](const SampledInterval& a, const SampledInterval& b) {
    return std::pair(a.thread, a.interval.to_ns) < std::pair(b.thread, b.interval.to_ns);
  });
  std::vector<ThreadLife> lives;
  std::map<uint32_t, StateTimes> sums;
  for (const auto& [thread, times] : sums_) {
    StateTimes& all = sums[numbers[thread]];
    for (size_t i = 0; i < kLifeStates; ++i) {
      all[i].ns += times[i].ns;
      all[i].sources |= times[i].sources;
    }
  }
  for (const auto& [thread, times] : lived) {
    const auto found = sums.find(thread);
    const auto [first, last] = IntervalsOf(thread);
    lives.push_back(LifeOf(
        thread, times,
        WaitsOf(waits[thread], found == sums.end() ? nullptr : &found->second, times.interval),
        SampledStates(profile, first, last, times.interval)));
  }
  AddVirtual(profile, waits, lives);
  return lives;
}

std::pair<const SampledInterval*, const SampledInterval*> ThreadStates::IntervalsOf(
    uint32_t thread) const {
  const SampledInterval* const begin = intervals_.data();
  const SampledInterval* const end = begin + intervals_.size();
  return {std::ranges::lower_bound(begin, end, thread, {}, &SampledInterval::thread),
          std::ranges::upper_bound(begin, end, thread, {}, &SampledInterval::thread)};
}

ThreadLife ThreadStates::LifeOf(uint32_t thread, const Times& times, const StateTimes& waits,
                                StateTimes sampled) {
  ThreadLife life{.thread = thread, .lifetime_ns = times.lifetime_ns};
  life[LifeState::kCpu] = {times.cpu_ns, 0, kOfCounters};
  life[LifeState::kRunnable] = {times.queued_ns, 0, kOfCounters};
  double variance = 0;
  std::vector<StateTime*> of_waits;
  std::vector<StateTime*> of_samples;
  for (const LifeState state : kOfWaits) {
    const StateTime& known = waits[static_cast<size_t>(state)];
    StateTime& seen = sampled[static_cast<size_t>(state)];
    life[state] = known;
    variance += known.variance;
    // From the samples, adds only the waits without an event: those in Unsafe.park, those in the
    // VM, and those that started before the recording. The time of these waits is the sampled time
    // minus the time from events.
    seen.ns -= known.ns;
    if (known.ns == 0) continue;
    if (seen.ns < kSure * std::sqrt(seen.variance + known.variance)) seen.ns = 0;
    of_waits.push_back(&life[state]);
  }
  for (const LifeState state : kSampled) {
    StateTime& seen = sampled[static_cast<size_t>(state)];
    if (seen.ns <= 0) continue;
    variance += seen.variance;
    of_samples.push_back(&seen);
  }
  double excess = life[LifeState::kCpu].ns + life[LifeState::kRunnable].ns - times.lifetime_ns;
  for (const StateTime* each : of_waits) excess += each->ns;
  for (const StateTime* each : of_samples) excess += each->ns;
  StateTime& runnable = life[LifeState::kRunnable];
  excess = SubtractFrom(excess, {&runnable});
  excess = SubtractFrom(excess, of_samples);
  excess = SubtractFrom(excess, of_waits);
  SubtractFrom(excess, {&life[LifeState::kCpu]});
  for (const LifeState state : kSampled) {
    const StateTime& seen = sampled[static_cast<size_t>(state)];
    if (seen.ns <= 0) continue;
    StateTime& known = life[state];
    known = {known.ns + seen.ns, known.variance + seen.variance,
             static_cast<StateSources>(known.sources | seen.sources)};
  }
  // Both the time in the run queue and the unattributed time depend on the times of all other
  // states. So the variance of each of the two is the sum of the variances of all other states.
  if (runnable.ns > 0) runnable.variance = variance;
  life[LifeState::kUnattributed] = {times.lifetime_ns - SumOf(life.states), variance, kOfRest};
  return life;
}

// Adds one life for all virtual threads together.
void ThreadStates::AddVirtual(const Profile& profile, const Waits& waits,
                              std::vector<ThreadLife>& lives) {
  constexpr Interval kAlways = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};
  const auto counts = [&](uint32_t thread) {
    return thread < profile.threads().size() && virtual_.Counts(profile.threads()[thread]);
  };
  for (const auto& [thread, each] : waits) {
    if (counts(thread)) virtual_.AddWaits(WaitsOf(each, nullptr, kAlways));
  }
  for (const auto& [key, samples] : moments_) {
    const profile::SampleKind& kind = profile.kinds[key.second];
    if (!counts(key.first) || kind.name != "cpu" || kind.interval_ns == 0) continue;
    const auto interval_ns = static_cast<double>(kind.interval_ns);
    const double ns = static_cast<double>(samples) * interval_ns;
    virtual_.AddCpuSamples(ns, ns * interval_ns);
  }
  for (uint32_t thread = 0; thread < profile.threads().size(); ++thread) {
    if (!counts(thread)) continue;
    const auto [first, last] = IntervalsOf(thread);
    virtual_.AddWallSamples(SampledStates(profile, first, last, kAlways, SleepEnd::kSeenAtOnce));
  }
  ThreadLife life{.is_virtual = true,
                  .lifetime_ns = virtual_.lifetime_ns(),
                  .threads = virtual_.threads(),
                  .states = virtual_.States()};
  if (SumOf(life.states) > 0) lives.push_back(life);
}

}  // namespace jprof
