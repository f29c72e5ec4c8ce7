#include "integration/damaged_recordings.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

namespace jprof::test {
namespace {

constexpr size_t kHeaderBytes = 68;
constexpr size_t kPartBytes = 4096;  // bytes of metadata and checkpoints in which bits are flipped
constexpr size_t kMostChunks = 6;

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  // Returns a number below `end`, or 0 if `end` is 0. The standard library's distributions and
  // shuffle are not used because their results differ between implementations.
  size_t Below(size_t end) { return end == 0 ? 0 : static_cast<size_t>(engine_() % end); }

 private:
  std::mt19937_64 engine_;
};

// A range of bytes in a file.
struct Part {
  const char* name;
  size_t begin;
  size_t end;
};

// Returns the parts of each chunk that are needed to read it, followed by the whole file.
std::vector<Part> PartsOf(const SoundRecording& sound) {
  std::vector<Part> parts;
  size_t begin = 0;
  for (const ChunkHeader& chunk : sound.chunks) {
    const auto part_at = [&](const char* name, int64_t offset) {
      const size_t at = begin + static_cast<size_t>(offset);
      parts.push_back({name, at, std::min(at + kPartBytes, sound.bytes.size())});
    };
    parts.push_back({"header", begin, begin + kHeaderBytes});
    part_at("metadata", chunk.metadata_offset);
    part_at("checkpoint", chunk.checkpoint_offset);
    begin += static_cast<size_t>(chunk.size);
  }
  parts.push_back({"file", 0, sound.bytes.size()});
  return parts;
}

// Returns the bytes of chunk `index`.
std::string ChunkOf(const SoundRecording& sound, size_t index) {
  size_t begin = 0;
  for (size_t i = 0; i < index; ++i) begin += static_cast<size_t>(sound.chunks[i].size);
  return sound.bytes.substr(begin, static_cast<size_t>(sound.chunks[index].size));
}

}  // namespace

Result<SoundRecording> ReadSoundRecording(const std::string& name, const std::string& path) {
  auto chunks = ReadChunkHeaders(path);
  if (!chunks) return chunks.error();
  std::ifstream stream(path, std::ios::binary);
  return SoundRecording{
      name, {std::istreambuf_iterator<char>(stream), {}}, std::move(chunks).value()};
}

std::vector<DamagedRecording> CutRecordings(const SoundRecording& sound, int count, uint64_t seed) {
  std::vector<size_t> lengths = {0, 1};
  for (const Part& part : PartsOf(sound)) {
    for (const size_t border : {part.begin, part.end}) {
      lengths.insert(lengths.end(), {border, border + 1});
      if (border > 0) lengths.push_back(border - 1);
    }
  }
  Dice dice(seed);
  for (size_t left = lengths.size(); left > 1; --left) {
    std::swap(lengths[left - 1], lengths[dice.Below(left)]);
  }
  std::vector<DamagedRecording> damaged;
  for (int i = 0; i < count; ++i) {
    const bool is_anywhere = i % 2 == 1 || lengths.empty();
    const size_t length = is_anywhere ? dice.Below(sound.bytes.size()) : lengths.back();
    if (!is_anywhere) lengths.pop_back();
    damaged.push_back(
        {sound.name + " cut at " + std::to_string(length), sound.bytes.substr(0, length)});
  }
  return damaged;
}

std::vector<DamagedRecording> FlippedRecordings(const SoundRecording& sound, int count,
                                                uint64_t seed) {
  const std::vector<Part> parts = PartsOf(sound);
  Dice dice(seed);
  std::vector<DamagedRecording> damaged;
  for (int i = 0; i < count; ++i) {
    const Part& part = parts[static_cast<size_t>(i) % parts.size()];
    const size_t bits = size_t{1} << dice.Below(7);
    std::string bytes = sound.bytes;
    std::string how = sound.name + ", bits of the " + part.name + ":";
    for (size_t bit = 0; bit < bits; ++bit) {
      const size_t at = part.begin + dice.Below(part.end - part.begin);
      const size_t of = dice.Below(8);
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1u << of));
      how += " " + std::to_string(at) + "." + std::to_string(of);
    }
    damaged.push_back({how, bytes});
  }
  return damaged;
}

std::string Reversed(const std::vector<SoundRecording>& sound) {
  std::string bytes;
  for (const SoundRecording& from : sound) {
    for (size_t i = 0; i < from.chunks.size(); ++i) bytes.insert(0, ChunkOf(from, i));
  }
  return bytes;
}

std::vector<DamagedRecording> JoinedRecordings(const std::vector<SoundRecording>& sound, int count,
                                               uint64_t seed) {
  Dice dice(seed);
  std::vector<DamagedRecording> damaged;
  for (int i = 0; i < count; ++i) {
    DamagedRecording file = {"joined:", ""};
    const size_t chunks = 2 + dice.Below(kMostChunks - 1);
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      const SoundRecording& from = sound[dice.Below(sound.size())];
      const size_t index = dice.Below(from.chunks.size());
      std::string bytes = ChunkOf(from, index);
      const bool is_cut = dice.Below(4) == 0;
      if (is_cut) bytes.resize(dice.Below(bytes.size()));
      file.how += " " + from.name + "/" + std::to_string(index) +
                  (is_cut ? " cut at " + std::to_string(bytes.size()) : "");
      file.bytes += bytes;
    }
    damaged.push_back(std::move(file));
  }
  return damaged;
}

}  // namespace jprof::test
