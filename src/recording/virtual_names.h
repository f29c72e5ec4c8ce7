// VirtualNames: names of virtual threads that were sampled lately, by id.
//
// The recorder's thread. Bounded: a name that no sample of this chunk or the one before has asked
// for is forgotten.
#pragma once

#include <cstdint>
#include <string>

#include "base/recently_used.h"
#include "sigsafe/sampling/virtual_thread_names.h"

namespace jprof {

class VirtualNames {
 public:
  explicit VirtualNames(VirtualThreadNames& published) : published_(published) {}

  void BeginChunk() { names_.BeginGeneration(); }

  // Takes what handlers have published.
  void BeginDrain();

  // UTF-8; empty: it has no name, or none could be read.
  std::string NameOf(int64_t id);

 private:
  VirtualThreadNames& published_;
  RecentlyUsed<int64_t, std::string> names_;  // a generation is a chunk
};

}  // namespace jprof
