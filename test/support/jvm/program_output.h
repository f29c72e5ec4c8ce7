// ProgramOutput: the lines "key=value" in which a workload prints the truth about itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace jprof::test {

class ProgramOutput {
 public:
  explicit ProgramOutput(const std::string& text);

  bool Has(const std::string& key) const { return values_.count(key) != 0; }
  // Returns a number; NaN if the program has not printed the key, so that every comparison with it
  // fails.
  double Number(const std::string& key) const;
  // Returns a 64-bit integer exactly; 0 if the program has not printed the key.
  int64_t Integer(const std::string& key) const;
  // Returns the entries whose keys start with `prefix`, without the prefix: {"busy-0", 1.5e9}.
  std::map<std::string, double> NumbersOf(const std::string& prefix) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace jprof::test
