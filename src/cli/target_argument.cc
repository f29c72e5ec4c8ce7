#include "cli/target_argument.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/printable_text.h"
#include "cli/words/json_object.h"
#include "options/error_text.h"

namespace jprof {
namespace {

struct Column {
  std::string_view title;
  std::string (*text)(const JvmDescription&);
};

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

constexpr auto kColumns = std::to_array<Column>({
    {"PID", [](const JvmDescription& jvm) { return std::to_string(jvm.pid); }},
    {"USER", [](const JvmDescription& jvm) { return jvm.user; }},
    {"JDK", [](const JvmDescription& jvm) { return OrDash(jvm.jdk); }},
    {"AGENT", [](const JvmDescription& jvm) { return OrDash(jvm.profiled); }},
    {"PROGRAM",
     [](const JvmDescription& jvm) {
       return OrDash(jvm.program) + (jvm.main.empty() ? "" : " (" + jvm.main + ")");
     }},
});

std::string JoinRow(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string row;
  for (size_t i = 0; i < cells.size(); ++i) {
    row += cells[i];
    if (i + 1 < cells.size()) row.append(widths[i] - cells[i].size() + 2, ' ');
  }
  return row + '\n';
}

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
  const std::vector<JvmDescription> jvms = ListJvms();
  const std::vector<JvmDescription> found = MatchingJvms(jvms, argument);
  if (found.size() == 1) return found.front().pid;
  std::string message = found.empty()
                            ? "no running JVM has a program named like "
                            : std::to_string(found.size()) + " running JVMs are named like ";
  message += Quote(argument) + (found.empty() ? "" : ": give the pid of one");
  const std::string table = JvmTable(found.empty() ? jvms : found);
  return Failure(FailureKind::kNoProcess, message + '\n' + table.substr(0, table.size() - 1));
}

Outcome<AgentCall> CallOf(const CommandLine& line, const std::string& target) {
  const Outcome<pid_t> pid = FindTarget(target);
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
  std::vector<std::vector<std::string>> rows(1);
  for (const Column& column : kColumns) rows[0].emplace_back(column.title);
  for (const JvmDescription& jvm : jvms) {
    rows.emplace_back();
    for (const Column& column : kColumns) {
      rows.back().push_back(PrintableText(column.text(jvm), Layout::kEscape));
    }
  }
  std::vector<size_t> widths(kColumns.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const auto& row : rows) table += JoinRow(row, widths);
  return table;
}

}  // namespace jprof
