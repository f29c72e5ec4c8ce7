// Functions that read and write the JSON of the local server. Thread-safe: no state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// Returns the string members of a JSON object. Leaves out members whose values are numbers, true,
// false or null. Returns nullopt if a value is an object or an array, if two string members have
// the same name, or if the text is not a JSON object.
std::optional<std::map<std::string, std::string>> ReadJsonFields(std::string_view json);

// Returns the text in quotes. The result is valid UTF-8 for any bytes.
std::string JsonString(std::string_view text);

}  // namespace jprof
