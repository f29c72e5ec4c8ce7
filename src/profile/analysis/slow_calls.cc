#include "profile/analysis/slow_calls.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jfr/format/jfr_types.h"
#include "profile/analysis/event_rows.h"

namespace jprof::profile {
namespace {

constexpr std::string_view kCall = JfrName(JfrType::kMethodTrace);
constexpr std::string_view kKindOfCalls = "method";

bool IsLonger(const SlowCall& a, const SlowCall& b) { return a.duration_ns > b.duration_ns; }

bool HasWeight(const Sample& sample) { return sample.samples != 0 || sample.value != 0; }

Interval IntervalOf(const SlowCall& call) {
  return IntervalFrom(call.time_ns, std::max<int64_t>(call.duration_ns, 0));
}

// Removes from `samples` each call that lies within another call of `samples`. The time of the
// outer call includes the time of the inner one.
void DropInnerCalls(uint32_t kind_of_calls, std::vector<Sample>& samples) {
  std::vector<Sample*> calls;
  for (Sample& sample : samples) {
    if (sample.kind == kind_of_calls) calls.push_back(&sample);
  }
  std::ranges::sort(calls, [](const Sample* a, const Sample* b) {
    const Interval first = IntervalOf(*a), second = IntervalOf(*b);
    return first.from_ns != second.from_ns ? first.from_ns < second.from_ns
                                           : first.to_ns > second.to_ns;
  });
  int64_t end_ns = std::numeric_limits<int64_t>::min();
  for (Sample* call : calls) {
    const bool is_inner = IntervalOf(*call).to_ns <= end_ns;
    if (is_inner) call->samples = call->value = 0;
    end_ns = std::max(end_ns, IntervalOf(*call).to_ns);
  }
  std::erase_if(samples, [](const Sample& sample) { return !HasWeight(sample); });
}

// The calls of one thread in order of their starts. Nested calls overlap.
struct CallsOfThread {
  std::vector<SlowCall*> calls = {};
  std::vector<int64_t> ends_ns = {};  // ends_ns[i]: the latest end of calls[0] to calls[i]

  // Sorts the calls by their starts. Among calls with the same start, the longest comes first, so
  // that an inner call follows the outer one.
  void Sort() {
    std::ranges::sort(calls, [](const SlowCall* a, const SlowCall* b) {
      return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : IsLonger(*a, *b);
    });
    for (const SlowCall* call : calls) {
      const int64_t end_ns = IntervalOf(*call).to_ns;
      ends_ns.push_back(ends_ns.empty() ? end_ns : std::max(ends_ns.back(), end_ns));
    }
  }

  // Calls visit(call) for every call that might overlap `interval`, inner calls before outer ones.
  // An empty interval stands for a moment. Stops when `visit` returns false.
  template <class Visit>
  void ForEachAt(Interval interval, const Visit& visit) const {
    const auto behind = std::ranges::upper_bound(calls, interval.to_ns, {}, &SlowCall::time_ns);
    for (auto i = static_cast<size_t>(behind - calls.begin()); i-- > 0;) {
      if (ends_ns[i] < interval.from_ns) return;
      if (!visit(*calls[i])) return;
    }
  }
};

}  // namespace

bool SlowCalls::IsOfCall(const RecordedType& type) { return type.name == kCall; }

// A declaration without a duration does not count: recordings without calls can declare the type in
// this form, only because the JDK's views need it.
void SlowCalls::OnChunk(const JfrSchema& declared) {
  const RecordedType* const call = declared.Named(kCall);
  has_calls_ = call != nullptr && call->IndexOf("duration") >= 0;
}

void SlowCalls::OnSample(const Sample& sample) {
  if (!has_calls_) return;
  if (samples_.size() == kMaxSamples) {
    ++samples_left_out_;
    return;
  }
  samples_.Add(sample);
}

void SlowCalls::OnEvent(const ProfileEvent& event) {
  const auto nested =
      static_cast<uint64_t>(std::max<int64_t>(event.event.Field("nestedCalls").Long(), 0));
  nested_calls_ += nested;
  ++count_;
  const bool is_kept = calls_.size() < most_ || event.duration_ns > calls_.front().duration_ns;
  if (!event.thread || !is_kept) return;
  Keep({.time_ns = event.time_ns,
        .duration_ns = event.duration_ns,
        .thread = *event.thread,
        .method = MethodText(event.event.Field("method")),
        .has_thrown = event.event.Field("exception").Long() != 0,
        .nested_calls = nested});
}

void SlowCalls::Keep(SlowCall call) {
  if (calls_.size() == most_) {
    std::ranges::pop_heap(calls_, IsLonger);
    calls_.pop_back();
  }
  calls_.push_back(std::move(call));
  std::ranges::push_heap(calls_, IsLonger);
}

std::vector<SlowCall> SlowCalls::Take(const Profile& profile) {
  std::ranges::sort(calls_, IsLonger);
  AddSamples(profile);
  return std::move(calls_);
}

void SlowCalls::AddSamples(const Profile& profile) {
  std::unordered_map<uint32_t, CallsOfThread> threads;
  for (SlowCall& call : calls_) threads[call.thread].calls.push_back(&call);
  for (auto& [thread, calls] : threads) calls.Sort();
  const auto named = std::ranges::find(profile.kinds, kKindOfCalls, &SampleKind::name);
  const auto kind_of_calls = static_cast<uint32_t>(named - profile.kinds.begin());
  size_t parts = 0;
  samples_.ForEach([&](const Sample& sample) {
    const auto of_thread = threads.find(sample.thread);
    if (of_thread == threads.end()) return;
    const Interval interval = IntervalOf(sample);
    const bool is_call = sample.kind == kind_of_calls;
    of_thread->second.ForEachAt(interval, [&](SlowCall& call) {
      const Interval window = IntervalOf(call);
      // The sample is `call` itself or a call around it, and does not explain why `call` was slow.
      if (is_call && interval.from_ns <= window.from_ns && window.to_ns <= interval.to_ns) {
        return true;
      }
      const Sample part = PartWithin(sample, window);
      if (!HasWeight(part)) return true;
      if (parts == max_parts_) {
        ++samples_left_out_;
        return false;
      }
      ++parts;
      call.samples.push_back(part);
      // If the sample is a traced call inside `call`, the search ends here: the calls around `call`
      // get `call` itself as a sample.
      return !is_call || interval.from_ns < window.from_ns || window.to_ns < interval.to_ns;
    });
  });
  for (SlowCall& call : calls_) DropInnerCalls(kind_of_calls, call.samples);
  samples_ = {};
}

}  // namespace jprof::profile
