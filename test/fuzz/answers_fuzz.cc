// libFuzzer target: whatever the bytes of an answer file are, jprof does not crash, and the text
// that it prints has no control characters and not too many lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "answers/agent_answer.h"
#include "answers/answer_text.h"
#include "answers/method_calls.h"

namespace {

void RequireOneLine(const std::string& text) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
    std::abort();
  }
}

void RequireLines(const std::string& text) {
  std::string line = text;
  std::erase(line, '\n');
  RequireOneLine(line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using jprof::AnswerKind;
  const auto decoded = jprof::DecodeAnswer(std::string(data, data + size));
  if (!decoded) {
    RequireOneLine(decoded.error().version);
    return 0;
  }
  RequireOneLine(decoded.value().version);
  if (!decoded.value().answer) {
    RequireOneLine(decoded.value().answer.error().message());
    RequireOneLine(decoded.value().answer.error().option());
    return 0;
  }
  jprof::AgentAnswer answer = decoded.value().answer.value();
  for (const std::string& note : answer.notes) RequireOneLine(note);
  // An answer that could be read is the same after it is written and read again.
  const auto again = jprof::DecodeAnswer(jprof::EncodeAnswer(answer));
  if (!again || !(again.value().answer.value().facts.all() == answer.facts.all())) std::abort();
  for (const AnswerKind kind : {AnswerKind::kStarted, AnswerKind::kDumped, AnswerKind::kStopped,
                                AnswerKind::kEnded, AnswerKind::kWritten}) {
    answer.kind = kind;
    RequireOneLine(jprof::AnswerText(answer));
    RequireOneLine(jprof::OutcomeText(answer));
  }
  for (const AnswerKind kind : {AnswerKind::kStatus, AnswerKind::kMethods}) {
    answer.kind = kind;
    RequireLines(jprof::AnswerText(answer));
  }
  static_cast<void>(jprof::MethodCallsOf(answer.facts));
  return 0;
}
