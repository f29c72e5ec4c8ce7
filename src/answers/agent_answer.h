// AgentAnswer: the answer of the agent to a command, as a record. The agent and jprof both use
// answer_text.h to show it to people.
//
// The layout of an answer in the file that the option answer= names:
//
//   jprof-answer=2        the version of this layout
//   contract=1            the agent's contract (base/agent_contract.h)
//   version=0.1.0         the agent's version
//   answer=stopped        the kind of answer (answers.def)
//   note=warning: …       any number of them
//   number.samples=12     facts, any number of them
//   text.file=/srv/a.jfr
//                         an empty line ends the answer
//
// An error has these lines in place of the lines from answer= on:
//
//   failure=unknown-option   the kind of error (base/error_kinds.def)
//   reason=unknown …         the sentence for the user
//   option=lease             the name of the unknown option
//
// In every version of the layout, its number is the first line and the lines contract= and version=
// follow. A line feed and a backslash in a value are written as \n and \\. Readers skip unknown
// keys. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answers/agent_facts.h"
#include "base/result.h"

namespace jprof {

enum class AnswerKind : uint8_t {
#define JPROF_ANSWER(id, ...) id,
#include "answers/answers.def"
};

struct AgentAnswer {
  AnswerKind kind = AnswerKind::kText;
  AgentFacts facts = {};
  std::vector<std::string> notes = {};  // warnings and hints, one sentence each
  std::string version = {};             // the agent's version; set in decoded answers and kStatus
};

// Moves `more` to the end of `notes`.
void AppendNotes(std::vector<std::string> more, std::vector<std::string>& notes);

std::string EncodeAnswer(const Result<AgentAnswer>& answer);

// An answer that has been received from an agent. Each note, version and reason is one printable
// line; the values of facts are unchecked.
struct DecodedAnswer {
  uint32_t contract = 0;  // the agent's contract
  std::string version;    // the agent's version
  Result<AgentAnswer> answer;
};

// The reason why an answer could not be decoded.
struct UndecodedAnswer {
  enum class Reason : uint8_t {
    kIncomplete,   // the file ends too early
    kMalformed,    // it is not an answer
    kOlderLayout,  // the agent is older than this program
    kNewerLayout,  // the agent is newer than this program
  };
  Reason reason;
  std::string version = {};  // the agent's version; empty: unknown
};

Result<DecodedAnswer, UndecodedAnswer> DecodeAnswer(const std::string& bytes);

}  // namespace jprof
