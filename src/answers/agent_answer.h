// AgentAnswer: the answer of the agent to a command, as a record. Its text for people is made by
// answer_text.h, which agent and jprof have in common.
//
// In the file that the option answer= names:
//
//   jprof-answer=2        the version of this layout
//   contract=1            of the agent (base/agent_contract.h)
//   version=0.1.0         of the agent
//   answer=stopped        the kind of answer (answers.def)
//   note=warning: …       any number of them
//   number.samples=12     facts, any number of them
//   text.file=/srv/a.jfr
//                         an empty line ends the answer
//
// or, in place of the lines from answer= on:
//
//   failure=unknown-option   the kind of error (base/error_kinds.def)
//   reason=unknown …         the sentence
//   option=lease             of an unknown option
//
// The layout is the first line, and a line contract= and a line version= follow, in every version. A
// line feed and a backslash in a value are written as \n and \\. Readers skip unknown keys.
// Thread-safe: no state.
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
  std::string version = {};             // of the agent, if the answer has come from one
};

// Moves `more` to the end of `notes`.
void AppendNotes(std::vector<std::string> more, std::vector<std::string>& notes);

std::string EncodeAnswer(const Result<AgentAnswer>& answer);

// An answer that has come from an agent. Notes, versions and reasons are one printable line each;
// facts are as they came.
struct DecodedAnswer {
  uint32_t contract = 0;  // of the agent
  std::string version;    // of the agent
  Result<AgentAnswer> answer;
};

// Why an answer could not be decoded.
struct UndecodedAnswer {
  enum class Reason : uint8_t {
    kIncomplete,   // the file ends too early
    kMalformed,    // it is not an answer
    kOlderLayout,  // the agent is older than this program
    kNewerLayout,  // the agent is newer than this program
  };
  Reason reason;
  std::string version = {};  // of the agent; empty: not known
};

Result<DecodedAnswer, UndecodedAnswer> DecodeAnswer(const std::string& bytes);

}  // namespace jprof
