#include "options/method_pattern.h"

#include <algorithm>
#include <utility>

#include "base/wildcard.h"
#include "options/error_text.h"
#include "options/quantity.h"

namespace jprof {
namespace {

constexpr std::string_view kCount = "count";
constexpr Nanos kLongestThreshold = 24 * 3600 * kNanosPerSecond;

// True for characters that no part of a name contains (The Java Virtual Machine Specification,
// 4.2.2). Spaces and commas are allowed, because languages other than Java have them in names.
bool IsInNoName(char c) { return c == ';' || c == '[' || c == '/'; }

// Cuts one type off the start of `text`. Returns false if there is none.
bool CutType(std::string_view* text) {
  const size_t dimensions = std::min(text->find_first_not_of('['), text->size());
  text->remove_prefix(dimensions);
  if (text->empty()) return false;
  size_t length = 1;
  if (text->front() == 'L') {
    const size_t end = text->find(';');
    if (end == std::string_view::npos || end == 1) return false;
    if (text->substr(0, end).find_first_of("[.()") != std::string_view::npos) return false;
    length = end + 1;
  } else if (std::string_view("BCDFIJSZ").find(text->front()) == std::string_view::npos) {
    return false;
  }
  text->remove_prefix(length);
  return true;
}

bool IsDescriptor(std::string_view text) {
  text.remove_prefix(1);  // "("
  while (!text.empty() && text.front() != ')') {
    if (!CutType(&text)) return false;
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return text == "V" || (CutType(&text) && text.empty());
}

// Reads the text after the colon, which is either a time or `count`.
Status ReadWanted(std::string_view text, MethodPattern* pattern) {
  pattern->is_counted = text == kCount;
  if (pattern->is_counted) return {};
  const Result<Nanos> time = ParseDuration(text);
  if (!time) return Error(Quote(text) + " " + time.error().message() + ", or count");
  if (time.value() > kLongestThreshold) return Error(Quote(text) + " is longer than a day");
  pattern->slow_from_ns = time.value();
  return {};
}

Status ReadName(std::string_view name, MethodPattern* pattern) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) {
    return Error(Quote(name) + " is not a method: write package.Class.method");
  }
  const auto bad = std::ranges::find_if(name, IsInNoName);
  if (bad != name.end()) {
    return Error(Quote(name) + " is not a method: no name has " + Quote(std::string(1, *bad)) +
                 (*bad == '/' ? ", packages are joined by dots" : ""));
  }
  pattern->class_name = name.substr(0, dot);
  pattern->method = name.substr(dot + 1);
  std::ranges::replace(pattern->class_name, '.', '/');
  return {};
}

// Parses name, name:TIME, name:count, name(descriptor), name(descriptor):TIME or
// name(descriptor):count.
Result<MethodPattern> ParsePattern(std::string_view text) {
  MethodPattern pattern;
  pattern.text = text;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const Status read = ReadWanted(text.substr(colon + 1), &pattern);
    if (!read) return read.error();
    text = text.substr(0, colon);
  }
  const size_t bracket = text.find('(');
  if (bracket != std::string_view::npos) {
    pattern.descriptor = text.substr(bracket);
    if (!IsDescriptor(*pattern.descriptor)) {
      return Error(Quote(*pattern.descriptor) +
                   " is not a descriptor: write it as javap -s does, (ILjava/lang/String;)V");
    }
    text = text.substr(0, bracket);
  }
  const Status named = ReadName(text, &pattern);
  if (!named) return named.error();
  return pattern;
}

}  // namespace

bool MethodPattern::MatchesClass(std::string_view name) const {
  return MatchesWildcards(class_name, name);
}

bool MethodPattern::MatchesMethod(std::string_view name, std::string_view method_descriptor) const {
  return (!descriptor || *descriptor == method_descriptor) && MatchesWildcards(method, name);
}

Result<std::vector<MethodPattern>> ParseMethodPatterns(std::string_view text) {
  std::vector<MethodPattern> patterns;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('+', at), text.size());
    if (end == at) return Error("has an empty item: put one + between two methods");
    Result<MethodPattern> pattern = ParsePattern(text.substr(at, end - at));
    if (!pattern) return Error("cannot be traced: " + pattern.error().message());
    patterns.push_back(std::move(pattern).value());
    at = end + 1;
  }
  return patterns;
}

std::string TextOf(const std::vector<MethodPattern>& patterns) {
  std::string text;
  for (const MethodPattern& pattern : patterns) text += (text.empty() ? "" : "+") + pattern.text;
  return text;
}

}  // namespace jprof
