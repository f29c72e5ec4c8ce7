#include "cli/java_tool_options.h"

#include "options/error_text.h"

namespace jprof {
namespace {

// The JVM splits the value at white space, except in quotes, single or double, which may begin in
// the middle of a word and have no escapes (JDK src/hotspot/share/runtime/arguments.cpp,
// Arguments::parse_options_buffer, jdk-25+36).
std::string AsOneWord(std::string_view text) {
  if (text.find_first_of(" \t\n\v\f\r'\"") == std::string_view::npos) return std::string(text);
  std::string word;
  while (!text.empty()) {
    const char quote = text.front() == '"' ? '\'' : '"';
    const std::string_view part = text.substr(0, text.find(quote));
    word += quote + std::string(part) + quote;
    text.remove_prefix(part.size());
  }
  return word;
}

}  // namespace

Outcome<std::string> ToolOptionsWithAgent(std::string_view existing, const std::string& library,
                                          const std::string& agent_options) {
  if (library.find('=') != std::string::npos) {
    return Failure(FailureKind::kLibrary, "no JVM can load " + Quote(library) +
                                              " at its start: behind '=' it looks for options");
  }
  std::string value(existing);
  if (!value.empty()) value += ' ';
  return value + AsOneWord("-agentpath:" + library + "=" + agent_options);
}

}  // namespace jprof
