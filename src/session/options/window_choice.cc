#include "session/options/window_choice.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "session/options/error_text.h"
#include "session/options/option_table.h"

namespace jprof {
namespace {

// From the VM's wish for a safepoint until all threads have stopped (src/hotspot/share/runtime/
// safepoint.cpp, SafepointSynchronize::begin; from JDK 8 on).
constexpr std::string_view kTtspBegin = "SafepointSynchronize::begin";
constexpr std::string_view kTtspEnd = "RuntimeService::record_safepoint_synchronized";

constexpr size_t kMostOfFunction = 255;

bool IsFunction(std::string_view text) {
  return text.find("::") != std::string_view::npos || text.find('.') == std::string_view::npos;
}

bool IsPartOfFunction(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '$' || c == '~';
}

Status ReadFunction(std::string_view text, const std::string& word, WindowEdge* edge) {
  if (text.size() > kMostOfFunction || !std::ranges::all_of(text, IsPartOfFunction)) {
    return Error(word + " is neither a method, as in com.acme.Shop.order, nor one function, " +
                 "without its parameters, as in " + std::string(kTtspBegin));
  }
  edge->function = text;
  return {};
}

Status ReadMethods(std::string_view text, const std::string& word, WindowEdge* edge) {
  Result<std::vector<MethodPattern>> methods = ParseMethodPatterns(text);
  if (!methods) return Error(word + " " + methods.error().message());
  const auto timed = std::ranges::find_if(methods.value(), [](const MethodPattern& method) {
    return method.slow_from_ns != MethodPattern::kNever;
  });
  if (timed != methods.value().end()) {
    return Error(word + ": a window begins and ends with a call, however long: leave the time of " +
                 Quote(timed->text) + " out");
  }
  edge->methods = std::move(methods).value();
  return {};
}

Status ReadEdge(const ParsedArguments& words, OptionId option, WindowEdge* edge) {
  const auto text = words.ValueOf(option);
  if (!text) return {};
  const std::string word = Quote(words.Word(option));
  edge->text = *text;
  return IsFunction(*text) ? ReadFunction(*text, word, edge) : ReadMethods(*text, word, edge);
}

Status ReadTtsp(const ParsedArguments& words, WindowEdges* edges) {
  if (!words.Has(OptionId::kTtsp)) return {};
  const std::string word = Quote(words.Word(OptionId::kTtsp));
  const std::string_view value = words.ValueOf(OptionId::kTtsp).value_or("1");
  if (value != "0" && value != "1") return Error(word + " is neither 0 nor 1");
  if (value == "0") return {};
  for (const OptionId edge : {OptionId::kBegin, OptionId::kEnd}) {
    if (!words.Has(edge)) continue;
    return Error(word + " stands for " + words.Spell(OptionId::kBegin, kTtspBegin) + " and " +
                 words.Spell(OptionId::kEnd, kTtspEnd) + ": leave " + Quote(words.Word(edge)) +
                 " out");
  }
  edges->begin = {{}, std::string(kTtspBegin), std::string(kTtspBegin)};
  edges->end = {{}, std::string(kTtspEnd), std::string(kTtspEnd)};
  return {};
}

// The option that the user gave.
std::string WordOf(const ParsedArguments& words) {
  for (const OptionId option : {OptionId::kBegin, OptionId::kEnd}) {
    if (words.Has(option)) return Quote(words.Word(option));
  }
  return Quote(words.Word(OptionId::kTtsp));
}

bool HasSamples(const Options& options) {
  return std::ranges::any_of(kEngines, [&options](const EngineRow& engine) {
    return engine.kind != SampleKind::kMethod && options.samples[engine.kind].enabled();
  });
}

}  // namespace

Status ReadWindow(const ParsedArguments& words, Options* options) {
  WindowEdges& edges = options->window;
  Status status = ReadEdge(words, OptionId::kBegin, &edges.begin);
  if (status) status = ReadEdge(words, OptionId::kEnd, &edges.end);
  if (status) status = ReadTtsp(words, &edges);
  if (!status || !edges.are_given()) return status;
  if (edges.begin.text == edges.end.text) {
    return Error(WordOf(words) + " is given for both begin and end: a window needs two methods");
  }
  if (!HasSamples(*options)) {
    return Error(WordOf(words) + " says when samples are recorded: add " +
                 words.Spell(OptionId::kCpu) + " or " + words.Spell(OptionId::kWall));
  }
  const bool has_function = !edges.begin.function.empty() || !edges.end.function.empty();
  if (has_function && !options->filter.text().empty()) {
    return Error(Quote(words.Word(OptionId::kFilter)) + " cannot be had with " + WordOf(words) +
                 ": calls of functions are seen on sampled threads only; methods are on all");
  }
  return {};
}

}  // namespace jprof
