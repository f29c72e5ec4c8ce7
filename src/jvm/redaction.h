// Redaction: keeps secrets out of the command lines and properties in a recording.
//
// Called when information events are gathered, on any thread outside handlers. At least as strict
// as the default filters of JDK 27 (JEP 536): every value that they redact is redacted here. The
// name of an option stays, so that a reader knows which it was; its value becomes kRedacted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jprof {

inline constexpr std::string_view kRedacted = "[REDACTED]";

// The value of a system property as it may be written. A value of a telling key is redacted whole;
// of any other, the user part of URLs and what follows `password=` and its like.
std::string RedactProperty(std::string_view key, std::string_view value);

// Arguments with exact boundaries. An argument with a telling word loses what follows its first
// '='; an option that ends in such a word loses the next argument; any other is redacted whole.
std::vector<std::string> RedactArguments(std::vector<std::string> arguments);

// A Java command of which only the text is known: main class or jar, then arguments, joined by
// spaces. Spaces inside a secret cannot be told from those between arguments, so a redacted value
// reaches to the next word that starts with '-'.
std::string RedactJavaCommand(std::string_view command);

}  // namespace jprof
