#include "cli/no_jvm_recorded.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "options/error_text.h"

namespace jprof {
namespace {

// A JVM that writes an archive of classes ends before it loads an agent (create_vm_init_agents in
// src/hotspot/share/runtime/thread.cpp, jdk-17+35): so it has no word for jprof. With
// AOTMode=record agents may be there.
struct ArchiveFlag {
  std::string_view text;
  bool runs_program;
};
constexpr ArchiveFlag kArchiveFlags[] = {{"-XX:ArchiveClassesAtExit", true},
                                         {"-XX:+RecordDynamicDumpInfo", true},
                                         {"-XX:+AutoCreateSharedArchive", true},
                                         {"-Xshare:dump", false}};

// The variables that hold options of JVMs.
constexpr const char* kVariables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};

const ArchiveFlag* FindArchiveFlag(std::vector<std::string> texts) {
  for (const char* variable : kVariables) {
    if (const char* const value = std::getenv(variable)) texts.emplace_back(value);
  }
  const auto* const found = std::ranges::find_if(kArchiveFlags, [&](const ArchiveFlag& flag) {
    return std::ranges::any_of(
        texts, [&](std::string_view text) { return text.find(flag.text) != text.npos; });
  });
  return found == std::end(kArchiveFlags) ? nullptr : found;
}

}  // namespace

Failure NoJvmRecorded(const std::vector<std::string>& command) {
  const std::string none = Quote(command.front()) + " started no JVM that recorded: ";
  const ArchiveFlag* const flag = FindArchiveFlag(command);
  if (flag == nullptr) {
    return {FailureKind::kNotAJvm,
            none +
                "does it clear the environment, as sudo does? A JVM that refuses to "
                "start says why itself"};
  }
  return {FailureKind::kNotAJvm,
          none + "a JVM that writes an archive of classes (" + std::string(flag->text) + ") " +
              (flag->runs_program ? "ends where an agent is there at its launch; run the command "
                                    "without jprof, and record its JVM by its pid"
                                  : "runs no program")};
}

}  // namespace jprof
