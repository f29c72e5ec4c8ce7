#include "formats/page/validation_tables.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/proportion.h"
#include "formats/page/event_tables.h"
#include "formats/page/table_columns.h"

namespace jprof {
namespace {

// The most bytes of a stack on the page.
constexpr size_t kMostOfStack = 8'000;

std::string ShortenedStack(std::string stack) {
  if (stack.size() <= kMostOfStack) return stack;
  stack.resize(stack.rfind('\n', kMostOfStack) + 1);
  return stack + "...\n";
}

}  // namespace

void ValidationTables::OnEvent(const profile::ProfileEvent& event) {
  if (ValidationSums::IsOfSums(event.event.type())) sums_.OnEvent(event);
  differences_.OnEvent(event);
}

void ValidationTables::Write(JsonWriter& json) const {
  if (!has_rows()) return;
  WriteSums(json);
  WriteDifferences(json);
}

void ValidationTables::WriteSums(JsonWriter& json) const {
  NumberColumn compared(PageUnit::kNumber), wrong(PageUnit::kNumber);
  NumberColumn rates(PageUnit::kFraction), least(PageUnit::kFraction), most(PageUnit::kFraction);
  TextColumn layers, walkers, tiers, verdicts;
  const auto table = sums_.Table();
  for (const auto& [row, sum] : table) {
    const ProportionBounds rate = ProportionInterval(sum.wrong, sum.judged);
    layers.Add(EventTables::Shortened(row.layer));
    walkers.Add(EventTables::Shortened(row.walker));
    tiers.Add(EventTables::Shortened(row.tier));
    compared.Add(static_cast<double>(sum.judged));
    wrong.Add(static_cast<double>(sum.wrong));
    rates.Add(sum.Rate());
    least.Add(rate.low);
    most.Add(rate.high);
    verdicts.Add(EventTables::Shortened(sum.VerdictText()));
  }
  WriteTableObject(kName, "Validation of stacks", table.size(), json, [&] {
    layers.Write("layer", "Compared At", json);
    walkers.Write("walker", "Walker", json);
    tiers.Write("tier", "Code", json);
    compared.Write("compared", "Compared", json);
    wrong.Write("wrong", "Wrong", json);
    rates.Write("rate", "Rate", json);
    least.Write("atLeast", "At Least", json);
    most.Write("atMost", "At Most", json);
    verdicts.Write("verdicts", "Verdicts", json);
  });
}

void ValidationTables::WriteDifferences(JsonWriter& json) const {
  const std::vector<DifferenceGroup> groups = differences_.Commonest();
  if (groups.empty()) return;
  NumberColumn stacks(PageUnit::kNumber);
  TextColumn layers, walkers, verdicts, tiers, causes, instructions, truths, walked;
  const auto add = [](TextColumn& column, const std::string& text) {
    text.empty() ? column.AddNone() : column.Add(text);
  };
  for (const DifferenceGroup& group : groups) {
    layers.Add(EventTables::Shortened(group.layer));
    walkers.Add(EventTables::Shortened(group.walker));
    add(verdicts, EventTables::Shortened(group.verdict));
    stacks.Add(static_cast<double>(group.stacks));
    add(tiers, EventTables::Shortened(group.tier));
    causes.Add(EventTables::Shortened(group.cause));
    add(instructions, EventTables::Shortened(group.example.instruction));
    add(truths, ShortenedStack(group.example.true_stack));
    add(walked, ShortenedStack(group.example.walked_stack));
  }
  WriteTableObject("differences", "How stacks differ", groups.size(), json, [&] {
    walkers.Write("walker", "Walker", json);
    layers.Write("layer", "Compared At", json);
    verdicts.Write("verdict", "Verdict", json);
    stacks.Write("stacks", "Stacks", json);
    tiers.Write("tier", "Code", json);
    causes.Write("cause", "Interrupted In", json);
    instructions.Write("instruction", "Instruction", json);
    truths.Write("trueStack", "True Stack", json);
    walked.Write("walkedStack", "Walked Stack", json);
  });
}

}  // namespace jprof
