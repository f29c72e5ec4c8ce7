#include "attach/java_command.h"

#include <string_view>

#include "base/java_launcher.h"

namespace jprof {
namespace {

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string JavaProgramOf(const std::vector<std::string>& arguments) {
  constexpr std::string_view kModuleOption = "--module=";
  if (arguments.empty()) return {};
  const std::string_view launcher = FileName(arguments.front());
  if (launcher != "java") return std::string(launcher);
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

}  // namespace jprof
