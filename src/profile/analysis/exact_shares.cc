#include "profile/analysis/exact_shares.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jfr/format/jfr_types.h"

namespace jprof {
namespace {

using profile::Interval;
using profile::Profile;
using profile::Sample;

constexpr std::string_view kProbes = "java.jprof.TimeProbes";

// True if a frame of the method is the outermost one of a virtual thread's stack. Before JDK 24, the
// sample itself may name the carrier.
bool IsEntryOfVirtualThread(std::string_view owner, std::string_view name) {
  if (name == "run" && owner == "java.lang.VirtualThread") return true;
  return owner == "jdk.internal.vm.Continuation" && name.starts_with("enter");
}

struct TimedMethod {
  std::string name;
  ExactTimeOfMethod exact;
};

// The measured methods on a stack.
struct OnStack {
  std::vector<uint32_t> methods = {};  // each one once
  // The method whose only call on the stack is in its own probes.
  std::optional<uint32_t> in_probes = {};
};

// Finds the measured methods on stacks. Each stack is walked once.
class StackSearch {
 public:
  StackSearch(const Profile& profile, const std::vector<TimedMethod>& methods) : profile_(profile) {
    std::unordered_map<std::string_view, uint32_t> by_name;
    for (uint32_t i = 0; i < methods.size(); ++i) by_name[methods[i].name] = i;
    for (const profile::ProfileMethod& method : profile.methods()) {
      const std::string& owner = profile.texts[method.owner];
      const std::string& name = profile.texts[method.name];
      const auto found = by_name.find(owner + '.' + name + profile.texts[method.descriptor]);
      Role role;
      if (found != by_name.end()) role.measured = found->second;
      role.is_probe = owner == kProbes;
      role.is_entry = IsEntryOfVirtualThread(owner, name);
      roles_.push_back(role);
    }
  }

  const OnStack& Of(uint32_t stack) {
    const auto [found, is_new] = known_.try_emplace(stack);
    if (is_new) found->second = Search(stack);
    return found->second;
  }

 private:
  struct Role {
    std::optional<uint32_t> measured = {};
    bool is_probe = false;
    bool is_entry = false;
  };

  OnStack Search(uint32_t stack) const {
    OnStack found;
    std::vector<uint32_t> calls;
    bool is_below_probe = false;
    for (uint32_t node = stack; node != profile::CallTree::kRoot;
         node = profile_.stacks.parent(node)) {
      const Role& role = roles_[profile_.frames()[profile_.stacks.frame(node)].method];
      if (role.is_entry) return {};
      if (is_below_probe && role.measured) found.in_probes = role.measured;
      is_below_probe = role.is_probe;
      if (role.measured) calls.push_back(*role.measured);
    }
    if (found.in_probes && std::ranges::count(calls, *found.in_probes) > 1) found.in_probes = {};
    std::ranges::sort(calls);
    calls.erase(std::ranges::unique(calls).begin(), calls.end());
    found.methods = std::move(calls);
    return found;
  }

  const Profile& profile_;
  std::vector<Role> roles_;  // by method
  std::unordered_map<uint32_t, OnStack> known_;
};

// A sample, or equal samples of the same moment.
struct Taken {
  const OnStack* on_stack;
  int64_t time_ns;
  uint32_t samples;
  uint32_t thread;
};

class Comparison {
 public:
  Comparison(const profile::SampleKind& kind, const std::vector<TimedMethod>& methods,
             const ExactTimeOfMethod& any)
      : kind_(kind), methods_(methods), any_(any) {}

  void Add(const OnStack* on_stack, const Sample& sample) {
    const auto samples = static_cast<uint32_t>(std::min<uint64_t>(sample.samples, UINT32_MAX));
    const bool is_repeated =
        !taken_.empty() && !kind_.is_elapsed && taken_.back().on_stack == on_stack &&
        taken_.back().time_ns == sample.time_ns && taken_.back().thread == sample.thread;
    if (is_repeated) {
      taken_.back().samples += samples;
    } else {
      taken_.push_back({on_stack, sample.time_ns, samples, sample.thread});
    }
  }

  std::vector<ComparedShare> Rows() {
    const auto is_all = [](const Taken&) { return true; };
    const auto is_any = [this](const Taken& taken) { return IsInAny(taken); };
    const auto is_own = [this](const Taken& taken) {
      return taken.on_stack->in_probes && taken.on_stack->methods.size() == 1 && IsInAny(taken);
    };
    const double judged =
        1.0 + static_cast<double>(std::ranges::count_if(methods_, [](const TimedMethod& method) {
          return method.exact.left_out.empty();
        }));
    tail_ = ExactShares::kDoubt / 2 / judged;
    const Base all = BaseOf(is_all, 0);
    const double in_any = Sum(is_any);
    const double own = Sum(is_own);
    const Base of_any = BaseOf(is_any, own);
    std::vector<ComparedShare> rows;
    rows.push_back(RowOfAny(all, is_any, in_any, own));
    for (uint32_t i = 0; i < methods_.size(); ++i) {
      const auto is_in = [&](const Taken& taken) { return IsIn(taken, i); };
      const auto is_in_own = [&](const Taken& taken) {
        return taken.on_stack->in_probes == i && IsIn(taken, i);
      };
      const double share = ExactNanos(methods_[i].exact) / ExactNanos(any_);
      ComparedShare row = Compare(of_any, share, is_in, Sum(is_in_own));
      row.method = methods_[i].name;
      row.exact = methods_[i].exact;
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  // The samples of which a share is compared.
  struct Base {
    double samples = 0;
    double in_probes = 0;
    double squares = 0;           // sum of Taken::samples squared
    std::vector<double> by_tick;  // of samples of elapsed time
  };

  double ExactNanos(const ExactTimeOfMethod& exact) const {
    return static_cast<double>(kind_.is_elapsed ? exact.elapsed_ns : exact.cpu_ns);
  }

  bool IsIn(const Taken& taken, uint32_t method) const {
    return taken.time_ns < methods_[method].exact.window.to_ns &&
           std::ranges::binary_search(taken.on_stack->methods, method);
  }
  bool IsInAny(const Taken& taken) const {
    return std::ranges::any_of(taken.on_stack->methods, [&](uint32_t method) {
      return taken.time_ns < methods_[method].exact.window.to_ns;
    });
  }

  template <typename IsCounted>
  double Sum(const IsCounted& is_counted) const {
    double sum = 0;
    for (const Taken& taken : taken_) {
      if (is_counted(taken)) sum += taken.samples;
    }
    return sum;
  }

  template <typename IsCounted>
  Base BaseOf(const IsCounted& is_counted, double in_probes) const {
    Base base;
    base.samples = Sum(is_counted);
    base.in_probes = in_probes;
    for (const Taken& taken : taken_) {
      if (is_counted(taken)) base.squares += static_cast<double>(taken.samples) * taken.samples;
    }
    if (kind_.is_elapsed) base.by_tick = ByTick(is_counted);
    return base;
  }

  // Returns the number of samples at each tick of the sampler, which is at the same moment for all
  // threads. A sample that stands for several intervals counts at each of the ticks in them. An
  // element reaches from half an interval before a tick to half an interval after it.
  template <typename IsCounted>
  std::vector<double> ByTick(const IsCounted& is_counted) const {
    if (taken_.empty()) return {};
    const int64_t interval_ns = kind_.interval_ns;
    const auto [from_ns, to_ns] = any_.window;
    const int64_t first_ns =
        from_ns + (taken_.front().time_ns - from_ns) % interval_ns - interval_ns * 3 / 2;
    std::vector<double> changes(static_cast<size_t>((to_ns - first_ns) / interval_ns) + 2);
    for (const Taken& taken : taken_) {
      if (!is_counted(taken)) continue;
      const auto last = static_cast<size_t>((taken.time_ns - first_ns) / interval_ns);
      changes[last + 1] -= 1;
      changes[last + 1 - std::min<size_t>(last + 1, taken.samples)] += 1;
    }
    for (size_t i = 1; i < changes.size(); ++i) changes[i] += changes[i - 1];
    return changes;
  }

  // Returns how many samples count as one independent sample.
  template <typename IsCounted>
  double Repetition(const Base& base, double share, const IsCounted& is_counted) const {
    if (!kind_.is_elapsed) return base.squares / base.samples;
    const std::vector<double> by_tick = ByTick(is_counted);
    double variance = 0;
    for (size_t i = 0; i < by_tick.size(); ++i) {
      variance += std::pow(by_tick[i] - share * base.by_tick[i], 2);
    }
    const double independent = base.samples * share * (1 - share);
    return independent <= 0 ? 1 : std::max(1.0, variance / independent);
  }

  template <typename IsCounted>
  ComparedShare Compare(const Base& base, double share, const IsCounted& is_counted,
                        double in_probes) const {
    ComparedShare row;
    row.samples = Sum(is_counted);
    row.in_probes = in_probes;
    row.exact_share = share;
    if (base.samples == 0) return row;
    row.sampled_share = row.samples / base.samples;
    const double repetition = Repetition(base, std::min(share, 1.0), is_counted);
    const double independent = base.samples / repetition;
    const double least = (row.samples - in_probes) / base.samples;
    const double certain = base.samples - base.in_probes;
    const double most = certain <= row.samples ? 1 : row.samples / certain;
    const double low = ProportionInterval(least * independent, independent, tail_).low;
    const double high = ProportionInterval(most * independent, independent, tail_).high;
    const double half = std::min(0.5, 0.5 / independent);
    const double clamped = std::clamp(share, half, 1 - half);
    row.error = std::sqrt(clamped * (1 - clamped) / independent);
    row.deviation = (std::max(least - share, 0.0) - std::max(share - most, 0.0)) / row.error;
    row.off = {std::max({low - share, share - high, 0.0}),
               std::max(std::fabs(share - low), std::fabs(high - share))};
    return row;
  }

  template <typename IsAny>
  ComparedShare RowOfAny(const Base& all, const IsAny& is_any, double in_any, double own) const {
    const double share = ExactNanos(any_) / (all.samples * static_cast<double>(kind_.interval_ns));
    ComparedShare row = Compare(all, all.samples == 0 ? 1 : share, is_any, own);
    row.exact = any_;
    row.exact_share = 1;
    row.sampled_share = in_any * static_cast<double>(kind_.interval_ns) / ExactNanos(any_);
    if (all.samples == 0) return row;
    row.error /= share;
    row.off = {row.off.low / share, row.off.high / share};
    return row;
  }

  const profile::SampleKind& kind_;
  const std::vector<TimedMethod>& methods_;
  const ExactTimeOfMethod& any_;
  std::vector<Taken> taken_;
  double tail_ = 0;  // set by Rows
};

}  // namespace

bool ExactShares::IsOfTimes(const profile::RecordedType& type) {
  return type.name == JfrName(JfrType::kExactTime);
}

// Each chunk has the times since the start, so that the last event of a method counts.
void ExactShares::OnEvent(const profile::ProfileEvent& event) {
  const profile::JfrEvent& fields = event.event;
  times_[fields.Field("method").String()] = {
      profile::IntervalFrom(event.time_ns, event.duration_ns),
      static_cast<uint64_t>(fields.Field("calls").Long()),
      fields.Field("cpuTime").Nanos(),
      fields.Field("elapsedTime").Nanos(),
      fields.Field("leftOut").String(),
  };
}

std::vector<ComparedShare> ExactShares::Compare(const Profile& profile, uint32_t kind) const {
  const auto any = times_.find("");
  const profile::SampleKind& row = profile.kinds[kind];
  if (any == times_.end()) return {};
  const int64_t any_ns = row.is_elapsed ? any->second.elapsed_ns : any->second.cpu_ns;
  if (any_ns <= 0 || row.interval_ns <= 0) return {};
  std::vector<TimedMethod> methods;
  for (const auto& [name, exact] : times_) {
    if (!name.empty()) methods.push_back({name, exact});
  }
  StackSearch search(profile, methods);
  Comparison comparison(row, methods, any->second);
  const OnStack none;
  samples_.ForEach([&](const Sample& sample) {
    if (sample.kind != kind) return;
    const Sample part = profile::PartWithin(sample, any->second.window);
    if (part.samples == 0) return;
    const bool is_virtual = profile.threads()[sample.thread].is_virtual;
    comparison.Add(is_virtual ? &none : &search.Of(sample.stack), part);
  });
  std::vector<ComparedShare> rows = comparison.Rows();
  std::erase_if(rows, [](const ComparedShare& each) {
    return each.exact.calls == 0 && each.samples == 0 && each.exact.left_out.empty();
  });
  std::stable_sort(rows.begin() + 1, rows.end(),
                   [](const auto& a, const auto& b) { return a.exact_share > b.exact_share; });
  return rows;
}

}  // namespace jprof
