#include "formats/firefox/sample_columns.h"

#include <algorithm>
#include <string_view>

#include "formats/json_writer.h"

namespace jprof::firefox {
namespace {

using profile::SampleKind;
using profile::SampleUnit;

// The kinds that are sampled at intervals, in order of preference. Other kinds are events, which
// become markers.
constexpr std::string_view kSampledKinds[] = {"wall", "cpu", "cpu-time", "native"};

}  // namespace

SampleRoles::SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen) {
  for (const std::string_view name : kSampledKinds) {
    for (uint32_t i = 0; i < profile.kinds.size(); ++i) {
      if (profile.kinds[i].name == name && profile.kinds[i].samples != 0) sampled.push_back(i);
    }
  }
  for (const uint32_t i : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[i];
    if (kind.unit == SampleUnit::kBytes && kind.samples != 0 && (!allocated || chosen == i)) {
      allocated = i;
    }
  }
  is_live = allocated && profile.kinds[*allocated].name == "live";
  if (!sampled.empty() || !chosen || chosen == allocated) return;
  // The recording has only events: their time is shown by stack.
  sampled.push_back(*chosen);
  if (profile.kinds[*chosen].unit == SampleUnit::kNanos) weight = Weight::kMillis;
}

using profile::CallTree;

void SampleColumns::Clear(int64_t start_ns, Weight weight) {
  start_ns_ = start_ns;
  weight_ = weight;
  for (JsonColumn* column : {&stacks_, &deltas_, &weights_, &cpu_deltas_}) column->Clear();
  is_even_ = weight == Weight::kSamples;
  length_ = 0;
  first_ns_ = last_ns_ = 0;
}

void SampleColumns::Add(const SampleRow& row) {
  const bool has_stack = row.samples != 0 && row.stack != CallTree::kRoot;
  if (is_even_ && row.samples > 1 && has_stack) EndEvenWeights();
  if (!has_stack) {
    stacks_.Null();
  } else {
    stacks_.Number(code_.StackRow(row.stack, row.idle));
  }
  const int64_t now_ns = RelativeTime(row.time_ns, start_ns_);
  deltas_.Millis(now_ns - last_ns_);
  last_ns_ = now_ns;
  if (length_++ == 0) first_ns_ = now_ns;
  if (weight_ == Weight::kMillis) {
    weights_.Millis(static_cast<int64_t>(row.samples));
  } else if (!is_even_) {
    weights_.Number(has_stack ? row.samples : 0);
  }
  cpu_deltas_.Number(row.cpu_ns);
}

// Adds the weights of all earlier rows, derived from their stacks. Most threads need no weights.
void SampleColumns::EndEvenWeights() {
  is_even_ = false;
  const std::string_view stacks = stacks_.text();
  for (size_t at = 0; at < stacks.size(); at = stacks.find(',', at) + 1) {
    weights_.Number(stacks[at] == 'n' ? 0 : 1);
  }
}

void SampleColumns::Write(JsonWriter& json) const {
  json.BeginObject();
  stacks_.Write("stack", json);
  deltas_.Write("timeDeltas", json);
  if (is_even_) {
    json.Null("weight");
  } else {
    weights_.Write("weight", json);
  }
  json.Text("weightType", weight_ == Weight::kMillis ? "tracing-ms" : "samples");
  cpu_deltas_.Write("threadCPUDelta", json);
  json.Number("length", length_);
  json.EndObject();
}

}  // namespace jprof::firefox
