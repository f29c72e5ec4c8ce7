// Makes a corpus of damaged files from sound recordings. The same seed makes the same files.
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

// Returns `count` recordings that end too early. Every second one is cut anywhere. The others are
// cut at, just before or just after a border of a chunk, its header, or a part that the header
// points to.
std::vector<DamagedRecording> CutRecordings(const SoundRecording& sound, int count, uint64_t seed);

// Returns `count` recordings with 1 to 64 flipped bits: in a header, in the metadata, in the last
// checkpoint or anywhere.
std::vector<DamagedRecording> FlippedRecordings(const SoundRecording& sound, int count,
                                                uint64_t seed);

// Returns a file of all chunks of all recordings, in reverse order.
std::string Reversed(const std::vector<SoundRecording>& sound);

// Returns `count` files, each of two to six chunks of all `sound` recordings in random order. Some
// chunks occur twice, and some are cut short before the next chunk.
std::vector<DamagedRecording> JoinedRecordings(const std::vector<SoundRecording>& sound, int count,
                                               uint64_t seed);

}  // namespace jprof::test
