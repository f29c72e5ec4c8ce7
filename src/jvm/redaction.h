// Redaction replaces secrets in the command lines and properties of a recording by kRedacted.
//
// Called when information events are gathered, on any thread outside signal handlers. The redaction
// is at least as strict as the default filters of JDK 27 (JEP 536): every value that the JDK
// redacts is redacted here. Names of options and properties stay.
//
// A *sensitive word* is a part of a name that suggests a secret, such as "password" or "token".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jprof {

inline constexpr std::string_view kRedacted = "[REDACTED]";

// Returns the redacted value of a system property. The value of sun.java.command is redacted as a
// Java command. If any other key contains a sensitive word, the whole value is redacted. All other
// values lose the user parts of URLs. If such a value contains an assignment to a sensitive name,
// such as `password=`, it also loses all text after the '='.
std::string RedactProperty(std::string_view key, std::string_view value);

// Redacts arguments with known boundaries. Arguments without a sensitive word lose only the user
// parts of URLs. An argument with a sensitive word and a '=' loses the text after the first '='. An
// argument without a '=' that starts with '-' and ends in a sensitive word ("--password") stays as
// it is, but the whole next argument is redacted. Any other argument with a sensitive word is
// redacted completely.
std::vector<std::string> RedactArguments(std::vector<std::string> arguments);

// Redacts a Java command, of which only the text is known: the main class or jar and the arguments,
// joined by spaces. Spaces inside a secret cannot be distinguished from spaces between arguments,
// so a redacted value extends to the next word that starts with '-'.
std::string RedactJavaCommand(std::string_view command);

}  // namespace jprof
