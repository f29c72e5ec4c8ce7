// The view `validation` shows how many stacks of each walker agree with the truth that probes have
// noted (docs/validation.md), with the 95 % interval of the share of wrong ones.
#include <string>
#include <utility>
#include <vector>

#include "base/proportion.h"
#include "profile/analysis/validation_sums.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;

class ValidationView : public TableView {
 public:
  explicit ValidationView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const profile::Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  bool WantsEvents(const profile::RecordedType& type) override {
    return ValidationSums::IsOfSums(type);
  }
  void OnEvent(const profile::ProfileEvent& event) override { sums_.OnEvent(event); }
  std::string Finding() const override {
    const ValidationSum ours = sums_.OfOurs();
    return std::to_string(ours.judged) + ' ' + std::to_string(ours.wrong);
  }

 protected:
  Result<Table> MakeTable(const Profile&, const FormatContext&) override {
    Table table;
    const ValidationSum ours = sums_.OfOurs();
    const ProportionBounds rate = ProportionInterval(ours.wrong, ours.judged);
    table.title = std::to_string(ours.judged) + " stacks compared, " + std::to_string(ours.wrong) +
                  " wrong: " + SmallShareCell(rate.low).text + " to " +
                  SmallShareCell(rate.high).text + " (95 % interval)";
    table.if_empty = "There are none: jprof validate records comparisons.";
    table.columns = {{"layer", "compared at"},
                     {"walker", "walker"},
                     {"tier", "code"},
                     {"compared", "compared", ValueForm::kNumber},
                     {"wrong", "wrong", ValueForm::kNumber},
                     {"rate", "rate", ValueForm::kFraction},
                     {"atLeast", "at least", ValueForm::kFraction},
                     {"atMost", "at most", ValueForm::kFraction},
                     {"verdicts", "verdicts"}};
    for (const auto& [row, sum] : sums_.Table()) AddRow(row, sum, table);
    return table;
  }

 private:
  static void AddRow(const ComparisonRow& row, const ValidationSum& sum, Table& table) {
    const ProportionBounds rate = ProportionInterval(sum.wrong, sum.judged);
    table.rows.push_back({TextCell(row.layer), TextCell(row.walker), TextCell(row.tier),
                          NumberCell(ValueForm::kNumber, static_cast<double>(sum.judged)),
                          NumberCell(ValueForm::kNumber, static_cast<double>(sum.wrong)),
                          SmallShareCell(sum.Rate()), SmallShareCell(rate.low),
                          SmallShareCell(rate.high), TextCell(sum.VerdictText())});
  }

  ValidationSums sums_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeValidationView(const FormatOptions& options) {
  return std::make_unique<ValidationView>(options);
}

}  // namespace jprof
