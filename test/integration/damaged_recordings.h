// A corpus of damaged files made from sound recordings. The same seed makes the same files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/jvm/chunk_headers.h"

namespace jprof::test {

struct SoundRecording {
  std::string name;  // name of the tool
  std::string bytes;
  std::vector<ChunkHeader> chunks;
};

// Reads a file whose chunks are complete.
Result<SoundRecording> ReadSoundRecording(const std::string& name, const std::string& path);

struct DamagedRecording {
  std::string how;  // damage and recording, for failure messages
  std::string bytes;
};

// Returns `count` recordings that end too early: on both sides of the borders of chunks, of their
// headers and of what the headers point to, and then anywhere.
std::vector<DamagedRecording> CutRecordings(const SoundRecording& sound, int count, uint64_t seed);

// Returns `count` recordings with 1 to 64 flipped bits: in a header, in the metadata, in the last
// checkpoint or anywhere.
std::vector<DamagedRecording> FlippedRecordings(const SoundRecording& sound, int count,
                                                uint64_t seed);

// Returns a file of all chunks of all recordings, in reverse order.
std::string Reversed(const std::vector<SoundRecording>& sound);

// Returns `count` files of two to six chunks of all `sound` recordings in random order, some of
// them twice, some cut before the next one follows.
std::vector<DamagedRecording> JoinedRecordings(const std::vector<SoundRecording>& sound, int count,
                                               uint64_t seed);

}  // namespace jprof::test
