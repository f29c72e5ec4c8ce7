#include "engines/method/method_choice.h"

#include <algorithm>

#include "base/modified_utf8.h"
#include "base/wildcard.h"

namespace jprof {
namespace {

constexpr uint16_t kNative = 0x0100;
constexpr uint16_t kAbstract = 0x0400;

struct NotToProbe {
  const char* pattern;
  const char* reason;
};

constexpr NotToProbe kNotToProbe[] = {
#define JPROF_NOT_TO_PROBE(pattern, reason) {pattern, reason},
#include "engines/method/probe_exclusions.def"
};

}  // namespace

const char* MethodChoice::ExclusionOf(std::string_view class_name) {
  const auto* const found = std::ranges::find_if(kNotToProbe, [&](const NotToProbe& row) {
    return MatchesWildcards(row.pattern, class_name);
  });
  return found == std::end(kNotToProbe) ? nullptr : found->reason;
}

bool MethodChoice::MatchesClass(std::string_view name) const {
  return MatchesClass(name, false) || MatchesClass(name, true);
}

bool MethodChoice::MatchesClass(std::string_view name, bool is_counted) const {
  return std::ranges::any_of(patterns_, [&](const MethodPattern& pattern) {
    return pattern.is_counted == is_counted && pattern.MatchesClass(name);
  });
}

std::optional<TracedMethod> MethodChoice::Choose(const std::shared_ptr<const ClassInfo>& declaring,
                                                 const instrument::MethodToProbe& method,
                                                 bool is_counted) {
  TracedMethod traced{.declaring = declaring,
                      .name = Utf8FromModifiedUtf8(method.name),
                      .descriptor = Utf8FromModifiedUtf8(method.descriptor),
                      .modifiers = method.access_flags,
                      .slow_from_ns = MethodPattern::kNever,
                      .is_counted = true};
  bool is_named = false;  // true if a pattern names the method without wildcards
  bool is_chosen = false;
  for (const MethodPattern& pattern : patterns_) {
    if (!pattern.MatchesClass(declaring->name)) continue;
    if (!pattern.MatchesMethod(traced.name, traced.descriptor)) continue;
    is_chosen = true;
    is_named |= pattern.method == traced.name;
    traced.slow_from_ns = std::min(traced.slow_from_ns, pattern.slow_from_ns);
    traced.is_counted &= pattern.is_counted;
    traced.window_edges |= pattern.window_edge;
    const std::lock_guard lock(mutex_);
    matched_.insert(&pattern);
  }
  if (!is_chosen || traced.is_counted != is_counted) return {};
  // A method that has no code, and that only wildcards match, is left out without a note.
  if (!is_named && (method.access_flags & (kNative | kAbstract)) != 0) return {};
  return traced;
}

void MethodChoice::MarkMatched(std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (const MethodPattern& pattern : patterns_) {
    if (pattern.MatchesClass(name)) matched_.insert(&pattern);
  }
}

std::vector<std::string> MethodChoice::Unmatched() const {
  std::vector<std::string> texts;
  const std::lock_guard lock(mutex_);
  for (const MethodPattern& pattern : patterns_) {
    if (matched_.count(&pattern) == 0) texts.push_back(pattern.text);
  }
  return texts;
}

}  // namespace jprof
