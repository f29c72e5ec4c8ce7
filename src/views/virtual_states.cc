#include "views/virtual_states.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace jprof {
namespace {

struct FieldRow {
  std::string_view name;
  LifeState state;
};
constexpr FieldRow kFields[] = {{"waitForCarrier", LifeState::kRunnable},
                                {"blocked", LifeState::kBlocked},
                                {"waiting", LifeState::kWaiting},
                                {"parked", LifeState::kParked},
                                {"sleeping", LifeState::kSleeping}};

// The states of a thread on a carrier, which samples show. Probes show its waits.
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
  return states;
}

// Scales the sampled times down if all times together exceed the lifetimes, which only errors of
// the samples can cause.
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
    At(on_carrier, state) = sampled_[static_cast<size_t>(state)];
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

}  // namespace jprof
