#include "attach/java_command.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace jprof {
namespace {

// Options of the launcher whose value is the next argument (JDK src/java.base/share/native/libjli/
// java.c, IsLauncherOption and IsModuleOption, jdk-25+36). Long ones may also carry it after '='.
constexpr auto kWithValue = std::to_array<std::string_view>({
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--enable-native-access",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--source",
    "-d",
    "--describe-module",
});

// Options after which the program itself comes.
constexpr auto kBeforeProgram = std::to_array<std::string_view>({"-jar", "-m", "--module"});

template <typename Names>
bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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
    if (Has(kBeforeProgram, argument)) return last ? std::string() : arguments[i + 1];
    if (argument.starts_with(kModuleOption)) {
      return std::string(argument.substr(kModuleOption.size()));
    }
    if (Has(kWithValue, argument)) {
      ++i;
    } else if (!argument.starts_with('-') && !argument.starts_with('@')) {
      return std::string(argument);
    }
  }
  return {};
}

}  // namespace jprof
