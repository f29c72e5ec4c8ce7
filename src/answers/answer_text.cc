#include "answers/answer_text.h"

#include <array>
#include <string_view>

#include "answers/amounts.h"
#include "answers/method_calls.h"
#include "base/log.h"
#include "base/printable_text.h"

namespace jprof {
namespace {

std::string GivenText(const AgentAnswer& answer) { return answer.facts.Text("text"); }

std::string WrittenText(const AgentAnswer& answer) {
  return PrintableText("written to " + answer.facts.Text("file"), Layout::kEscape);
}

std::string StartedText(const AgentAnswer& answer) {
  std::string list;
  for (const std::string& engine : answer.facts.Texts("engines[]")) {
    list += (list.empty() ? "" : ", ") + engine;
  }
  return PrintableText("recording " + list + " to " + answer.facts.Text("file"), Layout::kEscape);
}

std::string LaterText(const AgentAnswer&) { return kStartsLater; }

// A remark about a number in the facts. The remark is left out if the number is 0.
struct Remark {
  std::string_view key;
  std::string_view text;
};

constexpr auto kRemarksBeforeRoots = std::to_array<Remark>({
    {"unwrittenEvents", "events not written"},
    {"unloadedMethods", "methods whose names were lost"},
    {"changedFiles", "files changed by another program"},
    {"removedBytes", "bytes lost with them"},
    {"samplesWithoutContext",
     "samples without context, perhaps of virtual threads that this JVM does not name there"},
});
constexpr auto kRemarksAfterRoots = std::to_array<Remark>({
    {"unstoredContexts", "contexts not stored: more memlimit holds them"},
    {"refusedContexts", "contexts not kept: too many virtual threads have one, or no memory"},
});

// Returns " (12 events not written)"; empty if there is nothing to remark.
std::string RemarksText(const AgentFacts& facts) {
  std::string list;
  const auto add = [&list](const std::string& text) {
    if (!text.empty()) list += (list.empty() ? "" : ", ") + text;
  };
  const auto add_all = [&](const auto& remarks) {
    for (const auto& [key, text] : remarks) {
      const uint64_t number = facts.Number(key);
      if (number != 0) add(std::to_string(number) + ' ' + std::string(text));
    }
  };
  add_all(kRemarksBeforeRoots);
  add(WithoutRootText(facts));
  add_all(kRemarksAfterRoots);
  return list.empty() ? "" : " (" + list + ')';
}

std::string CountsText(const AgentAnswer& answer) {
  const char* const what = answer.kind == AnswerKind::kDumped  ? "dumped: "
                           : answer.kind == AnswerKind::kEnded ? "ended with the JVM: "
                                                               : "stopped: ";
  const std::string windows = WindowsText(answer.facts);
  return what + RecordedText(answer.facts) + ", " + LostText(answer.facts) +
         (windows.empty() ? "" : ", " + windows);
}

std::string SummedText(const AgentAnswer& answer) {
  return PrintableText(
      CountsText(answer) + " in " + answer.facts.Text("file") + RemarksText(answer.facts),
      Layout::kEscape);
}

std::string DumpedText(const AgentAnswer& answer) {
  return SummedText(answer) + "; the recording goes on";
}

std::string MethodsText(const AgentAnswer& answer) { return MethodRows(answer.facts); }

// The functions that make the texts, indexed by AnswerKind.
constexpr auto kTexts = std::to_array<std::string (*)(const AgentAnswer&)>({
#define JPROF_ANSWER(id, name, text) text,
#include "answers/answers.def"
});

}  // namespace

std::string AnswerText(const AgentAnswer& answer) {
  return kTexts[static_cast<size_t>(answer.kind)](answer);
}

std::string TextWithNotes(const AgentAnswer& answer) {
  std::string lines = AnswerText(answer);
  for (const std::string& note : answer.notes) lines += '\n' + note;
  return lines;
}

std::string OutcomeText(const AgentAnswer& answer) {
  return PrintableText(CountsText(answer) + RemarksText(answer.facts), Layout::kEscape);
}

void LogAnswer(const Result<AgentAnswer>& answer) {
  if (answer) {
    Log::Info("%s", TextWithNotes(answer.value()).c_str());
  } else {
    Log::ErrorLine("%s", answer.error().message().c_str());
  }
}

}  // namespace jprof
