// The view spans: the spans that samples were taken for, the longest first. A span lasts from the
// begin of its first sample to the end of its last one: it was there at least so long.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::ProfileLabel;
using profile::Sample;
using profile::SampleKind;
using profile::SpanOf;
using profile::TimeSpan;
using profile::Weigh;

std::string HexText(int64_t id) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[static_cast<uint64_t>(id) >> shift & 15];
  }
  return text;
}

class SpansView : public TableView {
 public:
  explicit SpansView(const FormatOptions& options)
      : TableView(options.table), weigh_(options.total.value_or(Weigh::kValue)) {}

  // Labels are looked up at the end: sums by set of labels until then.
  void OnSample(const Sample& sample) override {
    if (sample.labels == 0) return;
    Sums& sums = by_labels_[sample.labels];
    sums.by_kind[sample.kind] += weigh_ == Weigh::kSamples ? sample.samples : sample.value;
    sums.Extend(SpanOf(sample));
  }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    const std::vector<Span> spans = Spans(profile);
    Table table{.title = std::to_string(spans.size()) + " spans with samples"};
    table.if_empty =
        "There are none: record with --context a program that sets them (docs/context.md).";
    std::vector<uint32_t> kinds = profile.KindsInOrder();
    std::erase_if(kinds, [&](uint32_t kind) {
      return std::ranges::none_of(spans, [&](const Span& span) { return span.sums.Has(kind); });
    });
    table.columns.push_back({"duration", "at least", ValueForm::kDuration});
    for (const uint32_t kind : kinds) {
      const SampleKind& row = profile.kinds[kind];
      table.columns.push_back({row.name, row.name, FormOf(row, weigh_)});
    }
    table.columns.push_back({"spanId", "span"});
    table.columns.push_back({"localRootSpanId", "local root"});
    table.columns.push_back({"startTime", "time (UTC)", ValueForm::kTime});
    table.columns.push_back({"labels", "trace and tags"});
    for (const Span& span : spans) table.rows.push_back(RowOf(profile, kinds, span));
    return table;
  }

 private:
  struct Sums {
    std::map<uint32_t, uint64_t> by_kind;
    int64_t from_ns = std::numeric_limits<int64_t>::max();
    int64_t to_ns = std::numeric_limits<int64_t>::min();

    bool Has(uint32_t kind) const { return by_kind.contains(kind); }
    void Extend(TimeSpan span) {
      from_ns = std::min(from_ns, span.from_ns);
      to_ns = std::max(to_ns, span.to_ns);
    }
  };
  struct Span {
    int64_t id = 0;
    int64_t root = 0;
    Sums sums = {};
    std::set<std::string> others = {};  // "tenant=7"
  };

  // Spans may have several sets of labels, of tags that have changed.
  std::vector<Span> Spans(const Profile& profile) const {
    std::map<int64_t, Span> by_id;
    for (const auto& [labels, sums] : by_labels_) {
      Span found;
      for (const ProfileLabel& label : profile.label_sets()[labels]) {
        const std::string& key = profile.texts[label.key];
        if (key == "span_id") {
          found.id = label.number.value_or(0);
        } else if (key == "local_root_span_id") {
          found.root = label.number.value_or(0);
        } else {
          found.others.insert(key + "=" + profile.texts[label.value]);
        }
      }
      if (found.id == 0) continue;
      Span& span = by_id[found.id];
      span.id = found.id;
      span.root = found.root;
      span.others.merge(found.others);
      for (const auto& [kind, sum] : sums.by_kind) span.sums.by_kind[kind] += sum;
      span.sums.Extend({sums.from_ns, sums.to_ns});
    }
    std::vector<Span> spans;
    for (auto& [id, span] : by_id) spans.push_back(std::move(span));
    std::ranges::stable_sort(spans, std::greater(),
                             [](const Span& span) { return span.sums.to_ns - span.sums.from_ns; });
    return spans;
  }

  std::vector<Cell> RowOf(const Profile& profile, const std::vector<uint32_t>& kinds,
                          const Span& span) const {
    const auto duration_ns = static_cast<double>(span.sums.to_ns - span.sums.from_ns);
    std::vector<Cell> row = {NumberCell(ValueForm::kDuration, duration_ns)};
    for (const uint32_t kind : kinds) {
      const double sum = span.sums.Has(kind) ? static_cast<double>(span.sums.by_kind.at(kind)) : 0;
      row.push_back(NumberCell(FormOf(profile.kinds[kind], weigh_), sum));
    }
    row.push_back(TextCell(HexText(span.id)));
    row.push_back(TextCell(span.root == 0 ? "" : HexText(span.root)));
    row.push_back(NumberCell(ValueForm::kTime, static_cast<double>(span.sums.from_ns)));
    std::string others;
    for (const std::string& other : span.others) others += (others.empty() ? "" : " ") + other;
    row.push_back(TextCell(others));
    return row;
  }

  const Weigh weigh_;
  std::map<uint32_t, Sums> by_labels_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeSpansView(const FormatOptions& options) {
  return std::make_unique<SpansView>(options);
}

}  // namespace jprof
