#include "session/options/engine_choice.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/options/duration.h"
#include "session/options/option_table.h"
#include "session/options/wording.h"

namespace jprof {
namespace {

// REQUIRES: `event` is in the table.
OptionId EngineOf(std::string_view event) { return FindByName(kEvents, event)->engine; }

// The engines that are on: those with a word of their own and that of event=.
std::vector<OptionId> SelectedEngines(const GivenWords& words, std::optional<OptionId> event) {
  std::vector<OptionId> selected;
  for (const EngineRow& engine : kEngines) {
    if (words.Has(engine.option) || event == engine.option) selected.push_back(engine.option);
  }
  if (selected.empty()) selected.push_back(EngineOf(RowOf(OptionId::kEvent).default_text));
  return selected;
}

// The engine that interval= is for. REQUIRES: interval= is given.
Result<OptionId> EngineOfInterval(const GivenWords& words, std::optional<OptionId> event,
                                  const std::vector<OptionId>& selected) {
  if (event) return *event;
  if (selected.size() == 1) return selected.front();
  std::string choices;
  for (const OptionId engine : selected) {
    if (!choices.empty()) choices += " or ";
    choices +=
        std::string(RowOf(engine).name) + "=" + std::string(*words.Value(OptionId::kInterval));
  }
  return Error(Quote(words.Word(OptionId::kInterval)) +
               " does not say which engine it is for: write " + Quote(choices));
}

// The value of `option` as an interval of `engine`. REQUIRES: `option` has a value.
Result<Nanos> IntervalFrom(const GivenWords& words, OptionId option, OptionId engine) {
  const OptionRow& row = RowOf(engine);
  const std::string range = "accepted is " + std::string(row.min) + " to " + std::string(row.max);
  const Result<Nanos> interval = ParseDuration(*words.Value(option));
  if (!interval.ok()) {
    return Error(Quote(words.Word(option)) + " " + interval.error().message() + "; " + range);
  }
  if (interval.value() < ParseDuration(row.min).value() ||
      interval.value() > ParseDuration(row.max).value()) {
    return Error(Quote(words.Word(option)) + " is out of range for " + std::string(row.name) +
                 ": " + range + "; a number without unit is nanoseconds");
  }
  return interval.value();
}

// The interval of `engine` when interval= is for it as well.
Result<Nanos> SharedInterval(const GivenWords& words, OptionId engine) {
  Result<Nanos> shared = IntervalFrom(words, OptionId::kInterval, engine);
  if (!shared.ok() || !words.Value(engine)) return shared;
  Result<Nanos> own = IntervalFrom(words, engine, engine);
  if (own.ok() && own.value() != shared.value()) {
    return Error(Quote(words.Word(engine)) + " and " + Quote(words.Word(OptionId::kInterval)) +
                 " contradict each other: give one of them");
  }
  return own;
}

Result<Nanos> OwnInterval(const GivenWords& words, OptionId engine) {
  if (words.Value(engine)) return IntervalFrom(words, engine, engine);
  return ParseDuration(RowOf(engine).default_text);
}

// By event=, or else by the order of the words. REQUIRES: both engines are on.
bool WallIsFirst(const GivenWords& words, std::optional<OptionId> event) {
  return event ? *event == OptionId::kWall : words.Precedes(OptionId::kWall, OptionId::kCpu);
}

}  // namespace

Status ChooseEngines(const GivenWords& words, Options* options) {
  std::optional<OptionId> event;
  if (const auto name = words.Value(OptionId::kEvent)) {
    const EventRow* row = FindByName(kEvents, *name);
    if (row == nullptr) return Error(UnknownName("event", *name, NamesOf(kEvents)));
    event = row->engine;
    options->cpu_trigger = row->trigger;
  }
  const std::vector<OptionId> selected = SelectedEngines(words, event);

  std::optional<OptionId> interval_is_for;
  if (words.Has(OptionId::kInterval)) {
    const Result<OptionId> engine = EngineOfInterval(words, event, selected);
    if (!engine.ok()) return engine.error();
    interval_is_for = engine.value();
  }

  for (const EngineRow& engine : kEngines) {
    if (std::find(selected.begin(), selected.end(), engine.option) == selected.end()) continue;
    const Result<Nanos> interval = interval_is_for == engine.option
                                       ? SharedInterval(words, engine.option)
                                       : OwnInterval(words, engine.option);
    if (!interval.ok()) return interval.error();
    options->*engine.interval = interval.value();
  }
  if (options->cpu_interval_ns && options->wall_interval_ns) {
    options->wall_is_first = WallIsFirst(words, event);
  }
  return {};
}

}  // namespace jprof
