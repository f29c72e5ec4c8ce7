// The view `differences` shows how the stacks of a walker differ from the truth, and in which code:
// the commonest errors of each walker, with an example of both stacks (docs/validation.md).
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/analysis/validation_differences.h"
#include "profile/analysis/validation_sums.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::ProfileEvent;

// The number of lines of a stack that a text shows.
constexpr size_t kMostLines = 12;

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Returns the method of a line "Shop.order(I)V @ 12 inlined".
std::string_view MethodOf(std::string_view line) { return line.substr(0, line.find(" @ ")); }

// Returns the number of lines before the outermost frame; nullopt if the stack has no frame.
// Successive frames that are not probed have a line "(2 not probed)".
std::optional<size_t> LinesBeforeRoot(const std::vector<std::string>& stack) {
  const auto found = std::find_if(stack.rbegin(), stack.rend(), [](const std::string& line) {
    return !line.ends_with(" not probed)");
  });
  if (found == stack.rend()) return std::nullopt;
  return static_cast<size_t>(stack.rend() - found) - 1;
}

// Removes the frames at the root that are the same in both stacks. Returns their number.
size_t CutCommonRoot(std::vector<std::string>& one, std::vector<std::string>& other) {
  for (size_t common = 0;; ++common) {
    const std::optional<size_t> root = LinesBeforeRoot(one);
    const std::optional<size_t> other_root = LinesBeforeRoot(other);
    if (!root || !other_root || MethodOf(one[*root]) != MethodOf(other[*other_root])) return common;
    one.resize(*root);
    other.resize(*other_root);
  }
}

std::string TextOfStack(std::string_view name, const std::vector<std::string>& lines,
                        size_t common) {
  std::string text = "  " + std::string(name) + '\n';
  if (lines.empty()) text += common == 0 ? "    no frames\n" : "    only the frames below\n";
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) text += "    " + lines[i] + '\n';
  if (lines.size() > kMostLines) {
    text += "    ... " + std::to_string(lines.size() - kMostLines) + " more frames\n";
  }
  return text;
}

std::string TextOfExample(const DifferenceExample& example) {
  std::vector<std::string> truth = LinesOf(example.true_stack);
  std::vector<std::string> walked = LinesOf(example.walked_stack);
  const size_t common = walked.empty() ? 0 : CutCommonRoot(truth, walked);
  std::string text = example.instruction.empty() ? "" : "  " + example.instruction + '\n';
  text += TextOfStack("true stack", truth, common) + TextOfStack("walked stack", walked, common);
  if (common != 0) text += "  frames in common below: " + std::to_string(common) + '\n';
  return text;
}

class DifferencesView : public TableView {
 public:
  explicit DifferencesView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const profile::Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  bool WantsEvents(const profile::RecordedType& type) override {
    return ValidationDifferences::IsOfDifferences(type);
  }
  std::string Finding() const override { return std::to_string(wrong_); }
  void OnEvent(const ProfileEvent& event) override {
    differences_.OnEvent(event);
    if (ValidationSums::IsOfSums(event.event.type())) sums_.OnEvent(event);
  }

 protected:
  Result<Table> MakeTable(const Profile&, const FormatContext&) override {
    Table table;
    table.if_empty = "There are none: jprof validate records them.";
    table.columns = {{"layer", "compared at"},
                     {"walker", "walker"},
                     {"verdict", "verdict"},
                     {"wrong", "wrong", ValueForm::kBoolean, Cut::kEnd, true},
                     {"stacks", "stacks", ValueForm::kNumber},
                     {"rate", "rate", ValueForm::kFraction},
                     {"tier", "code"},
                     {"cause", "interrupted in"},
                     {"instruction", "instruction", ValueForm::kText, Cut::kEnd, true},
                     {"trueStack", "true stack", ValueForm::kText, Cut::kEnd, true},
                     {"walkedStack", "walked stack", ValueForm::kText, Cut::kEnd, true}};
    std::map<std::pair<std::string, std::string>, uint64_t> judged;
    for (const auto& [row, sum] : sums_.rows()) judged[{row.layer, row.walker}] += sum.judged;
    for (const DifferenceGroup& group : differences_.Commonest()) {
      if (group.is_wrong) wrong_ += group.stacks;
      if (options().has_only_errors && !group.is_wrong) continue;
      AddRow(group, judged[{group.layer, group.walker}], table);
    }
    table.title = std::to_string(wrong_) + " wrong stacks of all walkers";
    return table;
  }

  // Returns the examples of the rows with errors.
  std::string TextBelow(const Table& table) const override {
    std::string text;
    for (const std::vector<Cell>& row : table.rows) {
      const DifferenceExample example{row[kInstruction].text, row[kTrueStack].text,
                                      row[kWalkedStack].text};
      if (row[kWrong].number == 0 || !example.is_known()) continue;
      text += '\n' + row[kWalker].text + ", " + row[kLayer].text + ": " + row[kVerdict].text +
              ", " + row[kTier].text + ", in " + row[kCause].text + '\n' + TextOfExample(example);
    }
    return text;
  }

 private:
  // The columns, in their order.
  enum : size_t {
    kLayer,
    kWalker,
    kVerdict,
    kWrong,
    kStacks,
    kRate,
    kTier,
    kCause,
    kInstruction,
    kTrueStack,
    kWalkedStack
  };

  static void AddRow(const DifferenceGroup& group, uint64_t judged, Table& table) {
    const double share =
        judged == 0 ? 0 : static_cast<double>(group.stacks) / static_cast<double>(judged);
    table.rows.push_back({TextCell(group.layer),
                          TextCell(group.walker),
                          TextCell(group.verdict),
                          {"", group.is_wrong ? 1.0 : 0.0},
                          NumberCell(ValueForm::kNumber, static_cast<double>(group.stacks)),
                          SmallShareCell(share),
                          TextCell(group.tier),
                          TextCell(group.cause),
                          TextCell(group.example.instruction),
                          TextCell(group.example.true_stack),
                          TextCell(group.example.walked_stack)});
  }

  ValidationDifferences differences_;
  ValidationSums sums_;
  uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeDifferencesView(const FormatOptions& options) {
  return std::make_unique<DifferencesView>(options);
}

}  // namespace jprof
