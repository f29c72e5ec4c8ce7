// AgentLog: the lines that the agent has printed to a JVM's standard error or to a log file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jprof::test {

class AgentLog {
 public:
  explicit AgentLog(const std::string& text);

  // Returns the lines that start with "[jprof] ", without this prefix.
  const std::vector<std::string>& lines() const { return lines_; }

  // Returns how many lines contain `text`.
  int LinesWith(const std::string& text) const;

  // Returns the number before `noun`, as in "1234 samples", in the last line that has such a
  // number; -1 if no line has one.
  int64_t LastCount(const std::string& noun) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace jprof::test
