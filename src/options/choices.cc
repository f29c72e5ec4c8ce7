#include "options/choices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/error_text.h"
#include "options/option_table.h"
#include "options/quantity.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// The window of ttsp (time to safepoint): from the VM's request for a safepoint until all threads
// have stopped (src/hotspot/share/runtime/safepoint.cpp, SafepointSynchronize::begin; from JDK 8
// on).
constexpr std::string_view kTtspBegin = "SafepointSynchronize::begin";
constexpr std::string_view kTtspEnd = "RuntimeService::record_safepoint_synchronized";

constexpr std::string_view kOfFunctions =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:$";

// Reads the value of begin= or end=. Returns the fault as a phrase that follows the quoted option,
// or "" if there is none.
std::string ReadEdge(std::string_view text, uint8_t edge, WindowEdges* edges) {
  (edge == MethodPattern::kBeginsWindow ? edges->begin : edges->end) = text;
  if (WindowEdges::IsFunction(text)) {
    if (text.find_first_not_of(kOfFunctions) == std::string_view::npos) return "";
    return " is neither a method, as com.acme.Shop.order, nor a function without its parameters";
  }
  Result<std::vector<MethodPattern>> methods = ParseMethodPatterns(text);
  if (!methods) return " " + methods.error().message();
  for (MethodPattern& method : methods.value()) {
    if (method.slow_from_ns != MethodPattern::kNever || method.is_counted) {
      return " takes no time: a call is enough";
    }
    method.window_edge = edge;
    edges->methods.push_back(std::move(method));
  }
  return "";
}

// Reads begin=, end= and ttsp. Returns the fault as a phrase that follows the quoted option, or ""
// if there is none. Sets `option` to the option that was read last. If there is a fault, it is the
// fault of that option.
std::string ReadEdges(const ParsedArguments& words, OptionId* option, Options* options) {
  WindowEdges& edges = options->window;
  for (const OptionId edge : {OptionId::kBegin, OptionId::kEnd, OptionId::kTtsp}) {
    if (!words.Has(edge)) continue;
    *option = edge;
    std::string wrong;
    if (edge != OptionId::kTtsp) {
      wrong = ReadEdge(
          *words.ValueOf(edge),
          edge == OptionId::kBegin ? MethodPattern::kBeginsWindow : MethodPattern::kEndsWindow,
          &edges);
    } else if (const auto value = words.ValueOf(edge).value_or("1"); value == "1") {
      if (edges.are_given()) return " has a begin and an end of its own: leave the others out";
      edges.begin = kTtspBegin;
      edges.end = kTtspEnd;
    } else if (value != "0") {
      return " is neither 0 nor 1";
    }
    if (!wrong.empty()) return wrong;
  }
  if (!edges.are_given()) return "";
  bool has_samples = false;
  for (const EngineRow& engine : kEngines) {
    has_samples |= engine.option != OptionId::kTrace && options->samples[engine.kind].enabled();
  }
  if (!has_samples) return " is for samples: add " + words.Spell(OptionId::kCpu);
  const bool has_function =
      WindowEdges::IsFunction(edges.begin) || WindowEdges::IsFunction(edges.end);
  if (has_function && words.Has(OptionId::kFilter)) {
    return " is seen on sampled threads only: leave " + Quote(words.Word(OptionId::kFilter)) +
           " out";
  }
  return "";
}

constexpr size_t kMaxAttributes = 16;

bool IsLetter(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

// True if an attribute can have the name: fields of a recording are named after attributes.
bool IsName(std::string_view name) {
  if (name.empty() || !IsLetter(name.front())) return false;
  for (const char c : name) {
    if (!IsLetter(c) && (c < '0' || c > '9') && c != '.' && c != '-') return false;
  }
  return true;
}

Status ReadAttributes(std::string_view text, const std::string& word, Options* options) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    begin = end + 1;
    if (!IsName(name)) {
      return Error(
          word + " has " + Quote(name) +
          ", which is not a name: letters, digits, '_', '.' and '-', a letter or '_' first");
    }
    if (std::ranges::find(options->attributes, name) != options->attributes.end()) {
      return Error(word + " has " + Quote(name) + " twice");
    }
    options->attributes.emplace_back(name);
  }
  if (options->attributes.size() > kMaxAttributes) {
    return Error(word + " has more than " + std::to_string(kMaxAttributes) + " names");
  }
  return {};
}

// The events in the value of event=, in the order of the value.
using Events = std::vector<const EventRow*>;

Result<Events> EventsOf(const ParsedArguments& words) {
  Events events;
  auto rest = words.ValueOf(OptionId::kEvent);
  while (rest) {
    const size_t comma = rest->find(',');
    const std::string_view name = rest->substr(0, comma);
    const EventRow* row = FindByName(kEvents, name);
    if (row == nullptr) return Error(UnknownName("event", name, NamesOf(kEvents)));
    events.push_back(row);
    rest = comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
  }
  return events;
}

// Returns the source of the interrupts for CPU samples. If event= contains both cpu and the name of
// a source, such as itimer, returns that source.
Result<CpuTrigger> TriggerOf(const Events& events) {
  const EventRow* way = nullptr;
  for (const EventRow* event : events) {
    if (event->trigger == CpuTrigger::kBest) continue;
    if (way != nullptr && way->trigger != event->trigger) {
      return Error(Quote(way->name) + " and " + Quote(event->name) +
                   " are both ways to sample cpu: give one of them");
    }
    way = event;
  }
  return way == nullptr ? CpuTrigger::kBest : way->trigger;
}

// Returns the engines that are selected by an option of their own or by event=. Returns the default
// engine if none is selected.
std::vector<OptionId> SelectedEngines(const ParsedArguments& words, const Events& events) {
  std::vector<OptionId> selected;
  for (const EngineRow& engine : kEngines) {
    const auto is_its = [&](const EventRow* event) { return event->engine == engine.option; };
    if (words.Has(engine.option) || std::ranges::any_of(events, is_its)) {
      selected.push_back(engine.option);
    }
  }
  if (selected.empty()) {
    selected.push_back(FindByName(kEvents, RowOf(OptionId::kEvent).default_text)->engine);
  }
  return selected;
}

// True if the engine has an interval. Each sample of an engine without an interval represents only
// itself.
bool HasInterval(OptionId engine) { return RowOf(engine).value != "METHODS"; }

// Returns the engine that interval= is for. REQUIRES: interval= is given.
Result<OptionId> EngineOfInterval(const ParsedArguments& words, const Events& events,
                                  const std::vector<OptionId>& selected) {
  JPROF_CHECK(words.Has(OptionId::kInterval));
  if (!events.empty()) return events.front()->engine;
  std::vector<OptionId> candidates = selected;
  std::erase_if(candidates, [](OptionId engine) { return !HasInterval(engine); });
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty()) {
    return Error(Quote(words.Word(OptionId::kInterval)) + " is for samples: add " +
                 words.Spell(OptionId::kCpu));
  }
  std::string choices;
  for (const OptionId engine : candidates) {
    if (!choices.empty()) choices += " or ";
    choices += words.Spell(engine, *words.ValueOf(OptionId::kInterval));
  }
  return Error(Quote(words.Word(OptionId::kInterval)) +
               " does not say which engine it is for: write " + Quote(choices));
}

// Returns the parser for the kind of the engine's value, a size or a time.
Result<int64_t> (*ParserFor(const OptionRow& engine))(std::string_view) {
  return engine.value == "SIZE" ? ParseByteSize : ParseInterval;
}

// Returns the value of `option` as an interval of `engine`. REQUIRES: `option` has a value.
Result<int64_t> IntervalFrom(const ParsedArguments& words, OptionId option, OptionId engine) {
  const OptionRow& row = RowOf(engine);
  JPROF_CHECK(words.Has(option));
  const std::string_view text = *words.ValueOf(option);
  const std::string range = "accepted is " + std::string(row.min) + " to " + std::string(row.max);
  const auto parse = ParserFor(row);
  const Result<int64_t> interval = parse(text);
  if (!interval.ok()) {
    return Error(Quote(words.Word(option)) + " " + interval.error().message() + "; " + range);
  }
  if (interval.value() < parse(row.min).value() || interval.value() > parse(row.max).value()) {
    return Error(Quote(words.Word(option)) + " is out of range for " + std::string(row.name) +
                 ": " + range +
                 UnitlessNumberHint(text, parse == ParseByteSize ? "intervals are bytes"
                                                                 : "intervals are nanoseconds"));
  }
  return interval.value();
}

// Returns the interval of `engine` if interval= is for this engine. Fails if interval= and the
// engine's own option have different values.
Result<int64_t> SharedInterval(const ParsedArguments& words, OptionId engine) {
  Result<int64_t> shared = IntervalFrom(words, OptionId::kInterval, engine);
  if (!shared.ok() || !words.ValueOf(engine)) return shared;
  Result<int64_t> own = IntervalFrom(words, engine, engine);
  if (own.ok() && own.value() != shared.value()) {
    return Error(Quote(words.Word(engine)) + " and " + Quote(words.Word(OptionId::kInterval)) +
                 " contradict each other: give one of them");
  }
  return own;
}

Result<int64_t> OwnInterval(const ParsedArguments& words, OptionId engine) {
  if (!HasInterval(engine)) return 1;
  if (words.ValueOf(engine)) return IntervalFrom(words, engine, engine);
  return ParserFor(RowOf(engine))(RowOf(engine).default_text);
}

// Sorts the engines by the order in which they were requested: first the engines of event=, then
// the others by the positions of their words.
void SortByRequest(const ParsedArguments& words, const Events& events,
                   std::vector<OptionId>* engines) {
  const auto place = [&](OptionId engine) {
    return std::ranges::find(events, engine, &EventRow::engine) - events.begin();
  };
  std::ranges::stable_sort(*engines, [&](OptionId a, OptionId b) {
    return place(a) != place(b) ? place(a) < place(b) : words.Precedes(a, b);
  });
}

}  // namespace

Status ReadWindow(const ParsedArguments& words, Options* options) {
  OptionId option{};
  const std::string wrong = ReadEdges(words, &option, options);
  return wrong.empty() ? Status() : Error(Quote(words.Word(option)) + wrong);
}

Status ReadContext(const ParsedArguments& words, Options* options) {
  bool spans = false;
  Status read = words.ReadSwitch(OptionId::kContext, &options->context);
  if (read) read = words.ReadSwitch(OptionId::kSpans, &spans);
  if (read) read = words.ReadSwitch(OptionId::kContextExport, &options->context_export);
  if (!read) return read;
  const auto text = words.ValueOf(OptionId::kAttributes);
  const std::pair<OptionId, bool> additions[] = {
      {OptionId::kAttributes, text.has_value()},
      {OptionId::kSpans, spans},
      {OptionId::kContextExport, options->context_export}};
  for (const auto& [option, is_given] : additions) {
    if (!is_given || options->context) continue;
    return Error(Quote(words.Word(option)) + " is for trace contexts: add " +
                 words.Spell(OptionId::kContext, "1"));
  }
  if (spans) options->samples.Enable(SampleKind::kSpan, 1);
  return text ? ReadAttributes(*text, Quote(words.Word(OptionId::kAttributes)), options) : Status();
}

Status ChooseEngines(const ParsedArguments& words, Options* options) {
  JPROF_CHECK(words.command() == Command::kStart);
  const Result<Events> events = EventsOf(words);
  if (!events.ok()) return events.error();
  const Result<CpuTrigger> trigger = TriggerOf(events.value());
  if (!trigger.ok()) return trigger.error();
  options->cpu_trigger = trigger.value();
  std::vector<OptionId> selected = SelectedEngines(words, events.value());

  std::optional<OptionId> interval_is_for;
  if (words.Has(OptionId::kInterval)) {
    const Result<OptionId> engine = EngineOfInterval(words, events.value(), selected);
    if (!engine.ok()) return engine.error();
    interval_is_for = engine.value();
  }

  std::map<OptionId, Nanos> intervals;
  for (const OptionId engine : selected) {
    const Result<Nanos> interval =
        interval_is_for == engine ? SharedInterval(words, engine) : OwnInterval(words, engine);
    if (!interval.ok()) return interval.error();
    intervals[engine] = interval.value();
  }
  SortByRequest(words, events.value(), &selected);
  for (const OptionId engine : selected) {
    options->samples.Enable(std::ranges::find(kEngines, engine, &EngineRow::option)->kind,
                            intervals[engine]);
  }
  options->is_alloc_bounded = options->samples[SampleKind::kAlloc].enabled() &&
                              !words.ValueOf(OptionId::kAlloc) &&
                              interval_is_for != OptionId::kAlloc;
  return {};
}

}  // namespace jprof
