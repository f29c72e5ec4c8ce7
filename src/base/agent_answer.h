// AgentAnswer: the answer of the agent to a command, as text for people and as values for jprof.
//
// In the file that the option answer= names:
//
//   jprof-answer=1        the version of this layout
//   code=0                as of profiler_execute (include/profiler/profiler.h)
//   bytes=51              of the text
//   version=0.1.0         of the agent
//   outcome=stopped: 12 samples (12 cpu), 0 lost
//   file=/srv/a.jfr
//   note=warning: …       any number of them
//   number.samples=12     facts (base/agent_facts.h), any number of them
//   text.state=idle
//                         an empty line; then the text, to the end of the file
//   stopped: 12 samples (12 cpu), 0 lost in /srv/a.jfr
//
// A line feed and a backslash in a value are written as \n and \\. Readers skip
// unknown keys. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "base/agent_facts.h"
#include "base/result.h"

namespace jprof {

// Moves `more` to the end of `notes`.
void AppendNotes(std::vector<std::string> more, std::vector<std::string>& notes);

struct AgentAnswer {
  std::string text = {};                // one line; status and help: several
  std::vector<std::string> notes = {};  // warnings and hints, one line each
  std::string outcome = {};             // dump and stop: the text without the file
  std::string file = {};     // start, dump and stop: the recording's path as the JVM names it
  std::string version = {};  // of the agent, if the answer has come from one
  AgentFacts facts = {};     // for jprof --json

  // The text, then each note on a line of its own.
  std::string WithNotes() const;
};

struct CodedAnswer {
  int code = 0;
  AgentAnswer answer = {};
};

std::string EncodeAnswer(const CodedAnswer& coded);

// Fails for the layout of another version and for a truncated file.
Result<CodedAnswer> DecodeAnswer(const std::string& bytes);

// As one to print: what is a line stays one, whoever wrote the answer. Not the path, which is
// opened.
AgentAnswer PrintableAnswer(AgentAnswer answer);

}  // namespace jprof
