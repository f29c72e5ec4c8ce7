#include "formats/firefox/sample_columns.h"

#include "formats/firefox/relative_time.h"
#include "formats/json_writer.h"

namespace jprof::firefox {

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

// Most threads need no weights: those of earlier rows are told by their stacks.
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
