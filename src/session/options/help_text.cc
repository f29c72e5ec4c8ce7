#include "session/options/help_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "session/options/duration.h"
#include "session/options/error_text.h"
#include "session/options/option_table.h"

namespace jprof {
namespace {

constexpr size_t kColumn = 16;

std::string Row(std::string name, std::string_view text) {
  name.resize(std::max(kColumn, name.size() + 2), ' ');
  return "  " + name + std::string(text) + "\n";
}

// " (default 10ms, 100us to 1h)", as far as known.
std::string LimitsOf(const OptionRow& row) {
  std::string limits;
  if (!row.default_text.empty()) limits = "default " + std::string(row.default_text);
  if (!row.min.empty()) {
    limits += (limits.empty() ? "" : ", ") + std::string(row.min) + " to " + std::string(row.max);
  }
  return limits.empty() ? "" : " (" + limits + ")";
}

// The options from `row` on that share its help are one line: "maxage=TIME, maxsize=SIZE".
std::string RowOfAll(const OptionRow& row) {
  std::string forms;
  std::string limits;
  for (const OptionRow& other : kOptions) {
    if (other.help != row.help) continue;
    forms += (forms.empty() ? "" : ", ") + FormOf(other);
    if (limits != LimitsOf(other)) limits += LimitsOf(other);
  }
  return Row(std::move(forms), std::string(row.help) + limits);
}

// "   thread=THREADS, state=STATES": of a converted file, below it.
std::string PartForms() {
  std::string forms;
  for (const OptionId option : kPartOptions) {
    forms += (forms.empty() ? "   " : ", ") + FormOf(RowOf(option));
  }
  return forms + "\n";
}

}  // namespace

std::string HelpText() {
  std::string text =
      "jprof reads words separated by commas, without spaces: one of these commands, then "
      "options\n";
  for (const CommandRow& row : kCommands) {
    if (!IsHidden(row)) text += Row(std::string(row.name), row.help);
  }
  for (const OptionRow& row : kOptions) {
    if (IsHidden(row) || IsOfPart(row.id)) continue;
    if (std::ranges::find(kOptions, row.help, &OptionRow::help)->id == row.id) {
      text += RowOfAll(row);
    }
    if (row.id == OptionId::kFile) text += PartForms();
  }
  text += "Values (" + std::string(kUnitlessNumbers) + ")\n";
  text += Row("EVENT", Join(NamesOf(kEvents)) + "; *timer, perf sample cpu");
  text += Row("TIME", "a whole number and ns, us, ms, s, m or h");
  text += Row("PATTERN",
              "a path; %p process id, %t time, %n file number, %u random, %{NAME} variable, %% %");
  text += Row("WALKER, LEVEL", Join(NamesOf(kStackWalkers)) + "; " + Join(NamesOf(kLogLevels)));
  text +=
      "Examples (jcmd cuts options at the first '=' unless they are quoted twice, as here)\n"
      "  java -agentpath:/path/libprofiler.so=start,event=cpu,file=/abs/%p.jfr ...\n"
      "  jcmd PID JVMTI.agent_load /path/libprofiler.so "
      "'\"start,event=wall,file=/abs/out.jfr\"'\n";
  return text;
}

}  // namespace jprof
