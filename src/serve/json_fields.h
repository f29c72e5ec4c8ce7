// JSON in and out, as far as the local server needs it. Thread-safe: no state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// The members of an object whose values are strings; members of numbers, true, false and null are
// left out. nullopt for what is no such object: values that hold others are none of ours.
std::optional<std::map<std::string, std::string>> ReadJsonFields(std::string_view json);

// In quotes, as valid UTF-8 whatever the text is.
std::string JsonString(std::string_view text);

}  // namespace jprof
