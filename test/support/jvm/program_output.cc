#include "support/jvm/program_output.h"

#include <cstdlib>
#include <limits>
#include <sstream>

namespace jprof::test {

ProgramOutput::ProgramOutput(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) values_[line.substr(0, equals)] = line.substr(equals + 1);
  }
}

double ProgramOutput::Number(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::numeric_limits<double>::quiet_NaN();
  return std::strtod(found->second.c_str(), nullptr);
}

int64_t ProgramOutput::Integer(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
}

std::map<std::string, double> ProgramOutput::NumbersOf(const std::string& prefix) const {
  std::map<std::string, double> numbers;
  for (const auto& [key, value] : values_) {
    if (key.rfind(prefix, 0) == 0) numbers[key.substr(prefix.size())] = Number(key);
  }
  return numbers;
}

}  // namespace jprof::test
