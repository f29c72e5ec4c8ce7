#include "base/placeholders.h"

#include <algorithm>
#include <string>

namespace jprof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Replaces numbers by N: "[12 other threads]" becomes "[N other threads]".
std::string WithoutNumbers(std::string_view name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsDigit(name[i])) {
      text += name[i];
    } else if (i == 0 || !IsDigit(name[i - 1])) {
      text += 'N';
    }
  }
  return text;
}

}  // namespace

bool IsGap(std::string_view frame) {
  constexpr std::string_view kBegins[] = {"[break: ", "[unknown frame, ", "[not walkable, "};
  constexpr Placeholder kNames[] = {Placeholder::kNoMethodId, Placeholder::kUnloadedClass,
                                    Placeholder::kUnreadName, Placeholder::kNoMethodName,
                                    Placeholder::kUnknownMethod};
  if (!frame.starts_with('[')) return false;
  return std::ranges::any_of(kBegins, [&](auto begin) { return frame.starts_with(begin); }) ||
         std::ranges::any_of(kNames, [&](auto name) { return frame == Text(name); });
}

const PlaceholderRow* FindPlaceholder(std::string_view name) {
  if (!name.starts_with('[')) return nullptr;
  const auto* const row =
      std::find_if(std::begin(kPlaceholders), std::end(kPlaceholders),
                   [text = WithoutNumbers(name)](const PlaceholderRow& candidate) {
                     return candidate.text == text;
                   });
  return row == std::end(kPlaceholders) ? nullptr : row;
}

}  // namespace jprof
