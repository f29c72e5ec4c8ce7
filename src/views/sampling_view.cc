// The view `sampling` shows how the shares of samples that methods have agree with the shares of
// time that probes have measured (docs/validation.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/scaled_text.h"
#include "profile/analysis/exact_shares.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A number of standard errors, and the probability that a right share is off by more.
struct Beyond {
  int errors;
  double probability;
};
constexpr std::array<Beyond, 3> kBeyond = {{{2, 0.0455}, {3, 0.0027}, {4, 0.000063}}};

// Returns the number with two significant digits: "0.55", "12".
std::string ShortText(double number) {
  char text[32];
  snprintf(text, sizeof text, "%.2g", number);
  return text;
}

std::string DeviationText(double errors) {
  char text[32];
  snprintf(text, sizeof text, "%+.1f", errors);
  return text;
}

bool IsCompared(const ComparedShare& row) { return row.exact.left_out.empty(); }

// Returns "beyond 2 standard errors: 1 of 12 (0.55 expected); beyond 3: 0 (0.032); ...".
std::string DeviationsText(const std::vector<ComparedShare>& rows) {
  const auto compared = std::ranges::count_if(rows, IsCompared);
  std::string text;
  for (const Beyond& beyond : kBeyond) {
    const auto found = std::ranges::count_if(rows, [&](const ComparedShare& row) {
      return IsCompared(row) && std::fabs(row.deviation) > beyond.errors;
    });
    const std::string expected = ShortText(beyond.probability * static_cast<double>(compared));
    if (text.empty()) {
      text = "beyond " + std::to_string(beyond.errors) +
             " standard errors: " + std::to_string(found) + " of " + std::to_string(compared) +
             " (" + expected + " expected)";
    } else {
      text += "; beyond " + std::to_string(beyond.errors) + ": " + std::to_string(found) + " (" +
              expected + ")";
    }
  }
  return text;
}

class SamplingView : public TableView {
 public:
  explicit SamplingView(const FormatOptions& options) : TableView(options.table) {}

  bool WantsEvents(const profile::RecordedType& type) override {
    return ExactShares::IsOfTimes(type);
  }
  void OnEvent(const profile::ProfileEvent& event) override { shares_.OnEvent(event); }
  void OnSample(const profile::Sample& sample) override { shares_.OnSample(sample); }
  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kNone; }

  // Returns the largest difference of a method's shares: the least and the most that it can be.
  std::string Finding() const override { return finding_; }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table;
    table.if_empty =
        "There are none: record with jprof validate --event and --methods. Times on "
        "virtual threads are not measured.";
    table.columns = {{"method", "method", ValueForm::kText, Cut::kFront},
                     {"exactShare", "exact", ValueForm::kFraction},
                     {"sampledShare", "sampled", ValueForm::kFraction},
                     {"error", "error", ValueForm::kFraction},
                     {"deviation", "off by", ValueForm::kNumber},
                     {"samples", "samples", ValueForm::kNumber},
                     {"inProbes", "in probes", ValueForm::kNumber},
                     {"time", "time", ValueForm::kDuration},
                     {"calls", "calls", ValueForm::kNumber},
                     {"leftOut", "left out"}};
    if (!context.kind) return table;
    const std::vector<ComparedShare> rows = shares_.Compare(profile, *context.kind);
    if (rows.empty()) return table;
    const profile::SampleKind& kind = profile.kinds[*context.kind];
    table.title = TitleOf(profile, context) + ", one for every " +
                  RoundedDurationText(kind.interval_ns) + "; " + DeviationsText(rows);
    double least = 0;
    double most = 0;
    for (const ComparedShare& row : rows) {
      table.rows.push_back(RowOf(row, kind.is_elapsed));
      if (!IsCompared(row)) continue;
      least = std::max(least, row.off.low);
      most = std::max(most, row.off.high);
    }
    finding_ = std::to_string(least) + ' ' + std::to_string(most);
    return table;
  }

 private:
  static std::vector<Cell> RowOf(const ComparedShare& row, bool is_elapsed) {
    const bool is_compared = IsCompared(row);
    const auto nanos = static_cast<double>(is_elapsed ? row.exact.elapsed_ns : row.exact.cpu_ns);
    return {TextCell(row.method.empty() ? "[all together]" : row.method),
            NumberCell(ValueForm::kFraction, row.exact_share),
            NumberCell(ValueForm::kFraction, row.sampled_share),
            NumberCell(ValueForm::kFraction, row.error),
            is_compared ? Cell{DeviationText(row.deviation), row.deviation} : Cell{"", kNone},
            NumberCell(ValueForm::kNumber, row.samples),
            NumberCell(ValueForm::kNumber, row.in_probes),
            NumberCell(ValueForm::kDuration, nanos),
            NumberCell(ValueForm::kNumber, static_cast<double>(row.exact.calls)),
            TextCell(row.exact.left_out)};
  }

  ExactShares shares_;
  std::string finding_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeSamplingView(const FormatOptions& options) {
  return std::make_unique<SamplingView>(options);
}

}  // namespace jprof
