#include "attach/java_command.h"

#include <algorithm>
#include <string_view>

#include "base/jdk_facts.h"

namespace jprof {
namespace {

constexpr std::string_view kJava = "java";

// The JDK's class that compiles and starts a source file (JEP 330; jdk-25+36
// src/jdk.compiler/share/classes/com/sun/tools/javac/launcher).
constexpr std::string_view kSourceLauncher = "jdk.compiler/com.sun.tools.javac.launcher.";

// Returns the program, which is the first word of a command. The JVM separates words by spaces and
// quotes none.
std::string FirstWord(std::string_view command) {
  if (command.starts_with(kSourceLauncher)) {
    command.remove_prefix(std::min(command.find(' '), command.size() - 1) + 1);
  }
  // The path of a jar can contain spaces.
  constexpr std::string_view kJar = ".jar ";
  const size_t jar = command.starts_with('/') ? command.find(kJar) : std::string_view::npos;
  const size_t end = jar == std::string_view::npos ? command.find(' ') : jar + kJar.size() - 1;
  return std::string(command.substr(0, end));
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string JavaProgramOf(const std::vector<std::string>& arguments) {
  constexpr std::string_view kModuleOption = "--module=";
  if (arguments.empty()) return {};
  const std::string_view launcher = FileName(arguments.front());
  if (launcher != kJava) return std::string(launcher);
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool last = i + 1 == arguments.size();
    if (LauncherOptionNamesProgram(argument)) return last ? std::string() : arguments[i + 1];
    if (argument.starts_with(kModuleOption)) {
      return std::string(argument.substr(kModuleOption.size()));
    }
    if (LauncherOptionTakesNext(argument)) {
      ++i;
    } else if (!argument.starts_with('-') && !argument.starts_with('@')) {
      return std::string(argument);
    }
  }
  return {};
}

std::string ProgramOf(const std::vector<std::string>& arguments, const std::string& java_command) {
  std::string program = JavaProgramOf(arguments);
  const bool is_java = arguments.empty() || FileName(arguments.front()) == kJava;
  if (!is_java || java_command.empty()) return program;
  // If the name of the program contains spaces, only the command line shows where it ends.
  const bool agrees =
      !program.empty() && java_command.starts_with(program) &&
      (java_command.size() == program.size() || java_command[program.size()] == ' ');
  return agrees ? program : FirstWord(java_command);
}

std::string MainOf(const std::vector<std::string>& arguments, const std::string& java_command) {
  const bool is_java = arguments.empty() || FileName(arguments.front()) == kJava;
  return is_java ? std::string() : FirstWord(java_command);
}

}  // namespace jprof
