// In pprof and OTLP, samples refer to files and to locations in the code. Mappings has the files,
// and CodeLocations has the locations. FunctionName returns the name of a method in both formats.
// Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/key_map.h"
#include "profile/profile.h"

namespace jprof {

// Returns the name of a method, or a placeholder if the method has no name.
std::string FunctionName(const profile::Profile& profile, uint32_t method);

// Mappings has the files that contain the code of frames. A file gets its number when a frame first
// needs it. Number 0 is the program `java`. All code that the JVM compiles or interprets belongs to
// it.
class Mappings {
 public:
  struct Mapping {
    std::string path = {};      // the file's name without folders if the recording has no path
    std::string build_id = {};  // in hex; empty if unknown
    uint64_t base = 0, top = 0;
    bool is_java = false;
  };

  // REQUIRES: `profile` outlives this object.
  explicit Mappings(const profile::Profile& profile);

  // Returns the number of the mapping that contains the code of `frame`.
  uint32_t Of(const profile::ProfileFrame& frame);

  const std::vector<Mapping>& all() const { return mappings_; }

 private:
  const profile::Profile& profile_;
  std::map<std::string, Mapping, std::less<>> libraries_;  // recorded libraries by file name
  std::map<uint32_t, uint32_t> of_owner_;  // number of the owner's text -> number of the mapping
  std::vector<Mapping> mappings_;
};

// CodeLocations has the stacks of a profile as sequences of locations. A location is a physical
// frame together with the frames that the compiler has inlined into it. The location has one line
// for each of these frames.
class CodeLocations {
 public:
  // REQUIRES: `profile` outlives this object and does not change.
  explicit CodeLocations(const profile::Profile& profile);

  // Calls visit(location) for every location of a stack, innermost first.
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

  // Calls visit(frame) for every frame of a location, innermost first.
  template <class Visit>
  void ForEachFrame(uint32_t location, const Visit& visit) const {
    for (; locations_[location].depth != 0; location = locations_[location].outer) {
      visit(locations_[location].frame);
    }
  }

  // Returns the number of locations; locations are numbered from 0.
  size_t size() const { return locations_.size(); }

 private:
  struct Location {
    uint32_t outer;  // the location that lacks only the innermost frame; 0 if there is one frame
    uint32_t frame;  // the innermost frame
    uint32_t depth;  // number of frames in this location
  };

  const profile::Profile& profile_;
  std::vector<Location> locations_;  // location 0 means "no location" and has no frames
  std::vector<uint32_t> of_stack_;
};

}  // namespace jprof
