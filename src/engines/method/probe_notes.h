// ProbeNotes: what could not be probed, a line each; so many that a reader can take them in.
//
// Thread-safe, outside handlers.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace jprof {

class ProbeNotes {
 public:
  // Once each.
  void Add(std::string line);
  // A method that matched when there were TracedMethods::kMost.
  void AddUnnumbered();

  // Those since the last call.
  std::vector<std::string> Take();

 private:
  std::mutex mutex_;  // guards all below
  std::vector<std::string> lines_;
  uint64_t unsaid_ = 0;
  uint64_t unnumbered_ = 0;
};

}  // namespace jprof
