#include "base/jdk_facts.h"

#include <algorithm>
#include <array>

namespace jprof {
namespace {

// The options whose value is the next argument (jdk-25+36 src/java.base/share/native/libjli/java.c,
// IsLauncherOption and IsModuleOption). Long options can also have their value after '='.
constexpr auto kTakesNext = std::to_array<std::string_view>({
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

constexpr auto kNamesProgram = std::to_array<std::string_view>({"-jar", "-m", "--module"});

}  // namespace

bool LauncherOptionTakesNext(std::string_view argument) {
  return std::find(kTakesNext.begin(), kTakesNext.end(), argument) != kTakesNext.end();
}

bool LauncherOptionNamesProgram(std::string_view argument) {
  return std::find(kNamesProgram.begin(), kNamesProgram.end(), argument) != kNamesProgram.end();
}

std::string JavaVersionIn(std::string_view release) {
  constexpr std::string_view kKey = "JAVA_VERSION=\"";
  const size_t key = release.find(kKey);
  if (key == std::string_view::npos) return {};
  release.remove_prefix(key + kKey.size());
  return std::string(release.substr(0, release.find('"')));
}

}  // namespace jprof
