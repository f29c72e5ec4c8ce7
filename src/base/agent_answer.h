// AgentAnswer: what a command to the agent has brought, as text for people and as values for jprof.
//
// In the file that the option answer= names:
//
//   jprof-answer=1        the version of this layout
//   code=0                as of profiler_execute (include/profiler/profiler.h)
//   bytes=51              of the text
//   outcome=stopped: 12 samples (12 cpu), 0 lost
//   file=/srv/a.jfr
//   note=warning: …       any number of them
//                         an empty line; then the text, to the end of the file
//   stopped: 12 samples (12 cpu), 0 lost in /srv/a.jfr
//
// A line feed and a backslash in a value are written as \n and \\. Keys that a reader does not know
// are skipped. Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

struct AgentAnswer {
  std::string text = {};                // one line; of status and help several
  std::vector<std::string> notes = {};  // notes beside the text, a line each
  std::string outcome = {};             // dump and stop: the text without the file
  std::string file = {};                // dump and stop: the recording's path as the JVM names it

  // The text and the notes, a line each.
  std::string WithNotes() const;
};

struct CodedAnswer {
  int code = 0;
  AgentAnswer answer = {};
};

std::string EncodeAnswer(const CodedAnswer& coded);

// An Error for the layout of another version, or a file that was cut off.
Result<CodedAnswer> DecodeAnswer(const std::string& bytes);

}  // namespace jprof
