#include "options/window_choice.h"

#include <string>
#include <string_view>
#include <utility>

#include "options/error_text.h"
#include "options/option_table.h"

namespace jprof {
namespace {

// From the VM's wish for a safepoint until all threads have stopped (src/hotspot/share/runtime/
// safepoint.cpp, SafepointSynchronize::begin; from JDK 8 on).
constexpr std::string_view kTtspBegin = "SafepointSynchronize::begin";
constexpr std::string_view kTtspEnd = "RuntimeService::record_safepoint_synchronized";

constexpr std::string_view kOfFunctions =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:$";

// What is wrong with it; "": nothing.
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

// `option`: of those that say when, the one that is given.
std::string WhatIsWrong(const ParsedArguments& words, OptionId* option, Options* options) {
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

}  // namespace

Status ReadWindow(const ParsedArguments& words, Options* options) {
  OptionId option{};
  const std::string wrong = WhatIsWrong(words, &option, options);
  return wrong.empty() ? Status() : Error(Quote(words.Word(option)) + wrong);
}

}  // namespace jprof
