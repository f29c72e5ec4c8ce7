// DamageOf: a corpus of damaged files that is made of sound recordings; the same of the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/jvm/chunk_headers.h"

namespace jprof::test {

struct SoundRecording {
  std::string name;  // of the tool
  std::string bytes;
  std::vector<ChunkHeader> chunks;
};

// Reads a file whose chunks are complete.
Result<SoundRecording> ReadSoundRecording(const std::string& name, const std::string& path);

struct DamagedRecording {
  std::string how;  // what was done to which recording: for failure messages
  std::string bytes;
};

// Returns `count` recordings that end too early: at both sides of the borders of chunks, of their
// headers and of what headers point to, then anywhere.
std::vector<DamagedRecording> CutRecordings(const SoundRecording& sound, int count, uint64_t seed);

// Returns `count` recordings with one to 64 flipped bits: of a header, of the metadata, of the last
// checkpoint or anywhere.
std::vector<DamagedRecording> FlippedRecordings(const SoundRecording& sound, int count,
                                                uint64_t seed);

// Returns a file of all chunks of the recordings, the last one first.
std::string Reversed(const std::vector<SoundRecording>& sound);

// Returns `count` files of two to six chunks of all `sound` recordings, in any order, some of them
// twice, some cut before another one follows.
std::vector<DamagedRecording> JoinedRecordings(const std::vector<SoundRecording>& sound, int count,
                                               uint64_t seed);

}  // namespace jprof::test
