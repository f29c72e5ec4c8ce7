// VirtualNames: names of virtual threads that were sampled lately, by id.
//
// The recorder's thread. Bounded: a name that no sample of this chunk or the one before has asked
// for is forgotten.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sigsafe/sampling/virtual_thread_names.h"

namespace jprof {

class VirtualNames {
 public:
  explicit VirtualNames(VirtualThreadNames& published) : published_(published) {}

  void BeginChunk();

  // Takes what handlers have published.
  void BeginDrain();

  // UTF-8; empty: it has no name, or none could be read.
  std::string NameOf(int64_t id);

 private:
  VirtualThreadNames& published_;
  std::unordered_map<int64_t, std::string> names_;     // published or asked for in this chunk
  std::unordered_map<int64_t, std::string> previous_;  // the same of the chunk before
};

}  // namespace jprof
