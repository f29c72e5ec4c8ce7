// The reading and writing of JSON that the local server needs. Thread-safe: no state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// Returns the members of an object whose values are strings; leaves out members whose values are
// numbers, true, false or null. Returns nullopt for any other text, including one in which a value
// is an object or an array, or two of the returned members have the same name.
std::optional<std::map<std::string, std::string>> ReadJsonFields(std::string_view json);

// Returns the text in quotes. The result is valid UTF-8 for any bytes.
std::string JsonString(std::string_view text);

}  // namespace jprof
