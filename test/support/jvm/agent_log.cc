#include "support/jvm/agent_log.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace jprof::test {

AgentLog::AgentLog(const std::string& text) {
  const std::string prefix = "[jprof] ";
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.rfind(prefix, 0) == 0) lines_.push_back(line.substr(prefix.size()));
  }
}

int AgentLog::LinesWith(const std::string& text) const {
  return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  }));
}

int64_t AgentLog::LastCount(const std::string& noun) const {
  const std::regex pattern("(\\d+) " + noun);
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    std::smatch match;
    if (std::regex_search(*line, match, pattern)) return std::stoll(match[1]);
  }
  return -1;
}

}  // namespace jprof::test
