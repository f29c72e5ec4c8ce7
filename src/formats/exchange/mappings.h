// Mappings: the files that code is of, numbered as frames need them. Number 0 is the program that
// runs Java; code that the JVM compiles or interprets is counted there. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace jprof {

class Mappings {
 public:
  struct Mapping {
    std::string path = {};      // the name alone if the recording does not say more
    std::string build_id = {};  // in hex; empty: unknown
    uint64_t base = 0, top = 0;
    bool is_java = false;
  };

  // REQUIRES: `profile` outlives this.
  explicit Mappings(const profile::Profile& profile);

  uint32_t Of(const profile::ProfileFrame& frame);

  const std::vector<Mapping>& all() const { return mappings_; }

 private:
  const profile::Profile& profile_;
  std::map<std::string, Mapping, std::less<>> libraries_;  // of the recording, by file name
  std::map<uint32_t, uint32_t> of_owner_;                  // text -> mapping
  std::vector<Mapping> mappings_;
};

}  // namespace jprof
