// CodeLocations: the places of which stacks consist, for formats in which a frame of the machine
// and the frames that the compiler has inlined into it are one location with several lines. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/key_map.h"
#include "profile/profile.h"

namespace jprof {

// Mappings: the files that code is of, numbered as frames need them. Number 0 is the program that
// runs Java; code that the JVM compiles or interprets is counted there.
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

class CodeLocations {
 public:
  // REQUIRES: `profile` outlives this and does not change.
  explicit CodeLocations(const profile::Profile& profile);

  // visit(location) for every location of a stack, innermost first.
  template <class Visit>
  void ForEach(uint32_t stack, const Visit& visit) const {
    while (stack != profile::CallTree::kRoot) {
      const uint32_t location = of_stack_[stack];
      visit(location);
      for (uint32_t i = 0; i < locations_[location].depth; ++i) {
        stack = profile_.stacks.parent(stack);
      }
    }
  }

  // visit(frame) for every frame of a location, innermost first.
  template <class Visit>
  void ForEachFrame(uint32_t location, const Visit& visit) const {
    for (; locations_[location].depth != 0; location = locations_[location].outer) {
      visit(locations_[location].frame);
    }
  }

  // Locations are numbers below this.
  size_t size() const { return locations_.size(); }

 private:
  struct Location {
    uint32_t outer, frame;  // what it is inlined into: a location as well
    uint32_t depth;         // number of frames
  };

  const profile::Profile& profile_;
  std::vector<Location> locations_;  // the first one is none: it has no frames
  std::vector<uint32_t> of_stack_;
};

}  // namespace jprof
