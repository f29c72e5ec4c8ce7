// VirtualNames: names of recently sampled virtual threads, by id.
//
// The recorder's thread. Bounded: names without a sample in this chunk or the previous one are
// dropped.
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

  // Takes the published names.
  void BeginDrain();

  // UTF-8. Empty: the thread has no name, or its name could not be read.
  std::string NameOf(int64_t id);

 private:
  VirtualThreadNames& published_;
  RecentlyUsed<int64_t, std::string> names_;  // a generation is a chunk
};

}  // namespace jprof
