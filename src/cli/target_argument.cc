#include "cli/target_argument.h"

#include <array>
#include <charconv>
#include <optional>

#include "cli/container_argument.h"
#include "cli/plain_table.h"
#include "cli/words/json_object.h"
#include "options/error_text.h"

namespace jprof {
namespace {

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

constexpr auto kColumns = std::to_array<TableColumn<JvmDescription>>({
    {"PID", [](const JvmDescription& jvm) { return std::to_string(jvm.pid); }},
    {"USER", [](const JvmDescription& jvm) { return jvm.user; }},
    {"JDK", [](const JvmDescription& jvm) { return OrDash(jvm.jdk); }},
    {"AGENT", [](const JvmDescription& jvm) { return OrDash(jvm.profiled); }},
    {"CONTAINER", [](const JvmDescription& jvm) { return OrDash(jvm.container); }},
    {"PROGRAM",
     [](const JvmDescription& jvm) {
       return OrDash(jvm.program) + (jvm.main.empty() ? "" : " (" + jvm.main + ")");
     }},
});

}  // namespace

Outcome<pid_t> FindTarget(const std::string& argument) {
  if (argument.empty()) {
    return Failure(FailureKind::kUsage,
                   "the TARGET is empty: name a JVM, or give its pid; jprof list shows them");
  }
  pid_t pid = 0;
  const char* const end = argument.data() + argument.size();
  const auto [rest, status] = std::from_chars(argument.data(), end, pid);
  const bool digits = argument.find_first_not_of("0123456789") == std::string::npos;
  if (digits) {
    if (status == std::errc() && rest == end && pid > 0) return pid;
    return Failure(FailureKind::kNoProcess, Quote(argument) + " is not a process id");
  }
  std::vector<JvmDescription> jvms = ListJvms();
  std::vector<JvmDescription> found = MatchingJvms(jvms, argument);
  if (found.size() == 1) return found.front().pid;
  std::string message = found.empty()
                            ? "no running JVM has a program named like "
                            : std::to_string(found.size()) + " running JVMs are named like ";
  message += Quote(argument) + (found.empty() ? "" : ": give the pid of one");
  std::vector<JvmDescription>& shown = found.empty() ? jvms : found;
  NameContainers(ContainerFinder(""), &shown);
  return NoProcessWithTable(message, JvmTable(shown));
}

Outcome<AgentCall> CallOf(const CommandLine& line, const std::string& target) {
  const std::optional<CliOption> option = TargetOptionIn(line);
  const Outcome<pid_t> pid = option ? FindInContainer(*option, target) : FindTarget(target);
  if (!pid) return pid.error();
  const bool given = line.Has(NameOf(CliOption::kLibrary));
  return AgentCall::To(pid.value(), given ? line.Value(CliOption::kLibrary) : DefaultAgentLibrary(),
                       given ? AgentLibrary::Choice::kGiven : AgentLibrary::Choice::kDefault);
}

std::string JvmsAsJson(const std::vector<JvmDescription>& jvms) {
  std::vector<std::string> rows;
  for (const JvmDescription& jvm : jvms) {
    JsonObject row;
    const auto add = [&](std::string_view key, const std::string& text) {
      text.empty() ? row.Null(key) : row.Text(key, text);
    };
    const auto add_if_readable = [&](std::string_view key, bool value) {
      jvm.is_readable ? row.Bool(key, value) : row.Null(key);
    };
    const Outcome<void> reachable = AgentCall::CheckReachable(jvm.pid);
    row.Number("pid", static_cast<uint64_t>(jvm.pid));
    add("user", jvm.user);
    add("jdk", jvm.jdk);
    add_if_readable("agentLoaded", !jvm.profiled.empty());
    add_if_readable("recording", jvm.profiled == kProfiledRecording);
    add("program", jvm.program);
    add("main", jvm.main);
    add("container", jvm.container);
    add("obstacle", reachable ? std::string() : reachable.error().message());
    rows.push_back(row.Done());
  }
  return JsonObject()
      .Text("title", "running JVMs")
      .Value("rows", JsonArray(rows))
      .Number("leftOut", 0)
      .Done();
}

std::string JvmTable(const std::vector<JvmDescription>& jvms) {
  return PlainTable<JvmDescription>(kColumns, jvms);
}

std::vector<JvmDescription> ListJvmsAndContainers() {
  std::vector<JvmDescription> jvms = ListJvms();
  NameContainers(ContainerFinder(""), &jvms);
  return jvms;
}

}  // namespace jprof
