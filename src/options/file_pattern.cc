#include "options/file_pattern.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/hex_text.h"
#include "options/error_text.h"

namespace jprof {
namespace {

// The size in bytes of the random number that replaces %u. This number makes names differ even if
// processes in different containers have the same id and start in the same second.
constexpr size_t kRandomBytes = 6;
constexpr std::string_view kKnown = "known are %p, %t, %n, %u, %{NAME} and %%";

std::string Format(const std::tm& time) {
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &time));
}

// Returns the value of the environment variable. `rest` is the text after "%{". On success, removes
// the name and the closing brace from the start of `rest`.
Result<std::string> TakeVariable(std::string_view* rest, const FilePatternContext& context) {
  const size_t close = rest->find('}');
  if (close == std::string_view::npos) return Error("'%{' is not closed by '}'");
  const std::string name(rest->substr(0, close));
  if (name.empty()) return Error("'%{}' names no environment variable");
  const char* value = context.environment(name.c_str());
  if (value == nullptr) return Error("environment variable " + Quote(name) + " is not set");
  rest->remove_prefix(close + 1);
  return std::string(value);
}

// Returns the text for the placeholder. `rest` is the text after the percent sign. On success, cuts
// the placeholder off the start of `rest`.
Result<std::string> TakePlaceholder(std::string_view* rest, const FilePatternContext& context) {
  if (rest->empty()) return Error("it ends in a single '%', " + std::string(kKnown));
  const char kind = rest->front();
  rest->remove_prefix(1);
  switch (kind) {
    case 'p':
      return std::to_string(context.pid);
    case 't':
      return Format(context.start_time);
    case 'n':
      return std::to_string(context.number);
    case 'u':
      return RandomHex(kRandomBytes);
    case '%':
      return std::string("%");
    case '{':
      return TakeVariable(rest, context);
    default:
      return Error("unknown " + Quote(std::string("%") + kind) + ", " + std::string(kKnown));
  }
}

}  // namespace

FilePatternContext FilePatternContext::OfThisProcess() {
  const std::time_t now = std::time(nullptr);
  FilePatternContext context{};
  context.pid = getpid();
  localtime_r(&now, &context.start_time);
  context.environment = [](const char* name) -> const char* { return std::getenv(name); };
  return context;
}

Result<std::string> ExpandFilePattern(std::string_view pattern, const FilePatternContext& context) {
  std::string expanded;
  for (std::string_view rest = pattern; !rest.empty();) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    expanded += rest.substr(0, percent);
    rest.remove_prefix(percent);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    const Result<std::string> part = TakePlaceholder(&rest, context);
    if (!part.ok()) return Error("file pattern " + Quote(pattern) + ": " + part.error().message());
    expanded += part.value();
  }
  return expanded;
}

std::string EscapedPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) pattern.append(c == '%' ? 2 : 1, c);
  return pattern;
}

bool NamesEachFile(std::string_view pattern) {
  for (size_t at = pattern.find('%'); at != std::string_view::npos && at + 1 < pattern.size();
       at = pattern.find('%', at + 2)) {
    if (pattern[at + 1] == 'n' || pattern[at + 1] == 't') return true;
  }
  return false;
}

}  // namespace jprof
