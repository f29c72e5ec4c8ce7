// The view `spans` shows the spans of the program, the longest first. For a span without scope
// events (profiler.Span), the duration is the time from the start of its first sample to the end of
// its last sample. The span took at least that long.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/hex_text.h"
#include "profile/analysis/span_log.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::SampleKind;
using profile::SpanLog;
using profile::SpanSums;
using profile::Weigh;

class SpansView : public TableView {
 public:
  explicit SpansView(const FormatOptions& options)
      : TableView(options.table), weigh_(options.total.value_or(Weigh::kValue)), spans_(weigh_) {}

  bool WantsEvents(const profile::RecordedType& type) override { return SpanLog::IsSpan(type); }
  void OnSample(const Sample& sample) override { spans_.OnSample(sample); }
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  void OnEvent(const profile::ProfileEvent& event) override { spans_.OnEvent(event); }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    const std::vector<SpanSums> spans = spans_.Spans(profile);
    const bool has_measured = std::ranges::any_of(spans, &SpanSums::is_measured);
    const bool is_mixed = has_measured && !std::ranges::all_of(spans, &SpanSums::is_measured);
    Table table{.title = std::to_string(spans.size()) +
                         (is_mixed       ? " spans; with + at least so long: only samples tell"
                          : has_measured ? " spans"
                                         : " spans with samples")};
    table.if_empty =
        "There are none: record with --context a program that sets them (docs/context.md).";
    table.not_kept = spans_.left_out();
    std::vector<uint32_t> kinds = profile.KindsInOrder();
    std::erase_if(kinds, [&](uint32_t kind) {
      return std::ranges::none_of(
          spans, [&](const SpanSums& span) { return span.by_kind.contains(kind); });
    });
    table.columns.push_back(
        {"duration", has_measured ? "duration" : "at least", ValueForm::kDuration});
    if (is_mixed) table.columns.push_back({"atLeast", ""});
    for (const uint32_t kind : kinds) {
      const SampleKind& row = profile.kinds[kind];
      table.columns.push_back({row.name, row.name, FormOf(row, weigh_)});
    }
    table.columns.push_back({"spanId", "span"});
    table.columns.push_back({"localRootSpanId", "local root"});
    table.columns.push_back({"startTime", "time", ValueForm::kTime});
    table.columns.push_back({"labels", "trace and tags"});
    for (const SpanSums& span : spans) {
      table.rows.push_back(RowOf(profile, kinds, is_mixed, span));
    }
    return table;
  }

 private:
  std::vector<Cell> RowOf(const Profile& profile, const std::vector<uint32_t>& kinds, bool is_mixed,
                          const SpanSums& span) const {
    std::vector<Cell> row = {
        NumberCell(ValueForm::kDuration, static_cast<double>(span.duration_ns()))};
    if (is_mixed) row.push_back(TextCell(span.is_measured ? "" : "+"));
    for (const uint32_t kind : kinds) {
      const auto sum = span.by_kind.find(kind);
      const double weight = sum == span.by_kind.end() ? 0 : static_cast<double>(sum->second);
      row.push_back(NumberCell(FormOf(profile.kinds[kind], weigh_), weight));
    }
    row.push_back(TextCell(HexText(static_cast<uint64_t>(span.ids.span))));
    row.push_back(
        TextCell(span.ids.root == 0 ? "" : HexText(static_cast<uint64_t>(span.ids.root))));
    row.push_back(NumberCell(ValueForm::kTime, static_cast<double>(span.times.from_ns)));
    std::string others;
    for (const std::string& other : span.others) others += (others.empty() ? "" : " ") + other;
    row.push_back(TextCell(others));
    return row;
  }

  const Weigh weigh_;
  SpanLog spans_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeSpansView(const FormatOptions& options) {
  return std::make_unique<SpansView>(options);
}

}  // namespace jprof
