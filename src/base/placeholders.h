// Placeholder: a text in brackets in place of an unknown frame or thread, generated from
// placeholders.def, which also explains each placeholder to users.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace jprof {

enum class Placeholder : uint8_t {
#define PLACEHOLDER(Id, text, explanation) k##Id,
#include "base/placeholders.def"
#undef PLACEHOLDER
};

struct PlaceholderRow {
  std::string_view text, explanation;
};
inline constexpr PlaceholderRow kPlaceholders[] = {
#define PLACEHOLDER(Id, text, explanation) {text, explanation},
#include "base/placeholders.def"
#undef PLACEHOLDER
};

constexpr std::string_view Text(Placeholder placeholder) {
  return kPlaceholders[static_cast<size_t>(placeholder)].text;
}

// True if a frame of this name stands for callers that were not found, or for a method whose name
// could not be read.
bool IsGap(std::string_view frame);

// Returns the row for the name of a frame or thread, including names with a number such as "[12
// other threads]"; nullptr if the name is not a placeholder.
const PlaceholderRow* FindPlaceholder(std::string_view name);

}  // namespace jprof
