#include "profile/analysis/span_log.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace jprof::profile {
namespace {

void Extend(Interval& times, const Interval& by) {
  times.from_ns = std::min(times.from_ns, by.from_ns);
  times.to_ns = std::max(times.to_ns, by.to_ns);
}

// Extends the time of a span by `times`. `is_measured` is true if `times` comes from a scope, and
// not from a sample. Times from scopes replace all times from samples.
void AddTimes(SpanSums& sums, const Interval& times, bool is_measured) {
  if (is_measured && !sums.is_measured) sums.times = SpanSums().times;
  if (is_measured || !sums.is_measured) Extend(sums.times, times);
  sums.is_measured |= is_measured;
}

// Adds the samples and labels of `more`, but not `more.times`.
void AddUse(SpanSums& sums, const SpanSums& more) {
  for (const auto& [kind, weight] : more.by_kind) sums.by_kind[kind] += weight;
  sums.others.insert(more.others.begin(), more.others.end());
}

std::vector<SpanSums> LongestFirst(std::map<int64_t, SpanSums> by_id) {
  std::vector<SpanSums> all;
  for (auto& [id, sums] : by_id) all.push_back(std::move(sums));
  std::ranges::stable_sort(all, std::greater(), &SpanSums::duration_ns);
  return all;
}

bool IsId(std::string_view key) { return key == "span_id" || key == "local_root_span_id"; }

}  // namespace

SpanIds SpanIdsOf(const Profile& profile, uint32_t labels) {
  SpanIds ids;
  for (const ProfileLabel& label : profile.label_sets()[labels]) {
    const std::string_view key = profile.texts[label.key];
    if (key == "span_id") ids.span = label.number.value_or(0);
    if (key == "local_root_span_id") ids.root = label.number.value_or(0);
  }
  return ids;
}

void SpanLog::OnSample(const Sample& sample) {
  if (sample.labels == 0) return;
  SpanSums& sums = by_labels_[sample.labels];
  sums.by_kind[sample.kind] += weigh_ == Weigh::kSamples ? sample.samples : sample.value;
  Extend(sums.times, IntervalOf(sample));
}

void SpanLog::OnEvent(const ProfileEvent& event) {
  const int64_t id = event.event.Field("spanId").Long();
  if (id == 0) return;
  const auto known = measured_.find(id);
  if (known == measured_.end() && measured_.size() == kMaxSpans) {
    ++left_out_;
    return;
  }
  SpanSums& sums = measured_[id];
  sums.ids = {id, event.event.Field("localRootSpanId").Long()};
  AddTimes(sums, IntervalFrom(event.time_ns, std::max<int64_t>(event.duration_ns, 0)), true);
  bool is_after_ids = false;  // fields after the ids are the trace and the tags
  event.event.ForEachField([&](const JfrField& field, const JfrValue& value) {
    if (field.name == "localRootSpanId") {
      is_after_ids = true;
      return;
    }
    const std::string text = is_after_ids && !value.Key() ? value.String() : "";
    if (text.empty()) return;
    sums.others.insert((field.name == "traceId" ? "trace_id" : std::string(field.name)) + "=" +
                       text);
  });
}

// A span can have several sets of labels because its tags change.
std::vector<SpanSums> SpanLog::Spans(const Profile& profile) const {
  std::map<int64_t, SpanSums> by_id = measured_;
  for (const auto& [labels, sums] : by_labels_) {
    const SpanIds ids = SpanIdsOf(profile, labels);
    if (ids.span == 0) continue;
    SpanSums& span = by_id[ids.span];
    span.ids = ids;
    AddTimes(span, sums.times, false);
    AddUse(span, sums);
    for (const ProfileLabel& label : profile.label_sets()[labels]) {
      const std::string& key = profile.texts[label.key];
      if (!IsId(key)) span.others.insert(key + "=" + profile.texts[label.value]);
    }
  }
  return LongestFirst(std::move(by_id));
}

// The time of a request is that of its root, from the scopes of the root. If the root has no
// scopes, the request lasts from the first start to the last end of its spans.
std::vector<SpanSums> SpanLog::Requests(const Profile& profile) const {
  std::map<int64_t, SpanSums> by_id;
  for (const SpanSums& span : Spans(profile)) {
    SpanSums& request = by_id[span.ids.request()];
    request.ids = {span.ids.request(), 0};
    const bool is_root = span.ids.span == span.ids.request();
    AddTimes(request, span.times, is_root && span.is_measured);
    AddUse(request, span);
  }
  return LongestFirst(std::move(by_id));
}

}  // namespace jprof::profile
