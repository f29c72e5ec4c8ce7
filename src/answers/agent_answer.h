// AgentAnswer: the answer of the agent to a command, as a record. The agent and jprof both use
// answer_text.h to show the answer to people.
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
// An error has these lines in place of the line answer= and all lines after it:
//
//   failure=unknown-option   the kind of error (base/error_kinds.def)
//   reason=unknown …         the sentence for the user
//   option=lease             the name of the unknown option
//
// In all versions of the layout, the first line has the version of the layout; the lines contract=
// and version= come next. A line feed and a backslash in a value are written as \n and \\. Readers
// skip unknown keys. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct AgentFact {
  std::string key;
  std::string value;  // any text, or the decimal digits of a number
  bool is_number = false;

  bool operator==(const AgentFact&) const = default;
};

// AgentFacts: the data in an answer of the agent, as keys with texts or numbers.
//
// A key is a path of names, joined by dots. In the output of jprof --json, each name except the
// last is an object. A key that ends in [] occurs once for each element of an array. Units are in
// the keys: "cost.handlersNs". Facts from another process are not validated. Not synchronized.
class AgentFacts {
 public:
  void AddText(std::string key, std::string value) {
    facts_.push_back({std::move(key), std::move(value)});
  }
  void AddNumber(std::string key, uint64_t value) {
    facts_.push_back({std::move(key), std::to_string(value), true});
  }
  void Add(AgentFact fact) { facts_.push_back(std::move(fact)); }
  void Remove(std::string_view key) {
    std::erase_if(facts_, [key](const AgentFact& fact) { return fact.key == key; });
  }

  const std::vector<AgentFact>& all() const { return facts_; }
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // Returns the first value of the key; empty if there is none.
  std::string Text(std::string_view key) const;
  // Returns the first value of the key as a number; 0 if there is none, or if it is not a number.
  uint64_t Number(std::string_view key) const;
  // Returns Number as a time in nanoseconds, capped at the largest Nanos.
  Nanos Time(std::string_view key) const;

  // Returns all values of the key.
  std::vector<std::string> Texts(std::string_view key) const;

 private:
  const AgentFact* Find(std::string_view key) const;

  std::vector<AgentFact> facts_;
};

// Returns the value of the fact; 0 if it is not a number of at most 64 bits.
uint64_t NumberOf(const AgentFact& fact);

// Returns the number as a time in nanoseconds, capped at the largest Nanos.
Nanos TimeOf(uint64_t number);

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
    kMalformed,    // the file is not an answer
    kOlderLayout,  // the agent is older than this program
    kNewerLayout,  // the agent is newer than this program
  };
  Reason reason;
  std::string version = {};  // the agent's version; empty: unknown
};

Result<DecodedAnswer, UndecodedAnswer> DecodeAnswer(const std::string& bytes);

}  // namespace jprof
