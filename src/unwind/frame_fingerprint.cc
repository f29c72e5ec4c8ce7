#include "unwind/frame_fingerprint.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace jprof {
namespace {

// Two hashes side by side that differ in their factors: a word takes a few cycles for both.
class Hasher {
 public:
  void Add(uint64_t word) {
    hash_.first = (hash_.first ^ word ^ hash_.first >> 29) * 0x9e3779b97f4a7c15;
    hash_.second = (hash_.second ^ word ^ hash_.second >> 31) * 0xd6e8feb86659fd93;
  }

  void Add(std::span<const uint8_t> bytes) {
    Add(bytes.size());
    uint64_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
      memcpy(&word, bytes.data(), sizeof word);
      Add(word);
    }
    word = 0;
    if (!bytes.empty()) memcpy(&word, bytes.data(), bytes.size());
    Add(word);
  }

  FrameFingerprint hash() const { return hash_; }

 private:
  FrameFingerprint hash_{1, 1};
};

// The bytes up to the end of the last function's entry: data that changes may follow.
std::span<const uint8_t> EntriesOf(const FrameIndex& index, FrameFormat format) {
  const std::span<const uint8_t> bytes = std::span(index.image.bytes).subspan(index.section);
  uint64_t last = 0;
  for (const uint64_t function : index.functions) {
    if (function < bytes.size()) last = std::max(last, function);
  }
  const FrameSection section(bytes, 0, format);
  return bytes.first(section.Next(last).value_or(bytes.size()));
}

void AddIndex(const FrameIndex& index, FrameFormat format, uint64_t load_bias, Hasher* hasher) {
  hasher->Add(index.image.address + index.section - load_bias);
  hasher->Add(index.functions.size());
  if (index.functions.empty()) return;
  for (const uint64_t function : index.functions) hasher->Add(function);
  hasher->Add(EntriesOf(index, format));
}

}  // namespace

FrameFingerprint FingerprintOf(const Library& library, const FrameIndexes& frames) {
  Hasher hasher;
  hasher.Add(library.executable.size());
  for (const AddressRange& code : library.executable) {
    hasher.Add(code.begin - library.load_bias);
    hasher.Add(code.end - code.begin);
  }
  AddIndex(frames.eh_frame, FrameFormat::kEhFrame, library.load_bias, &hasher);
  AddIndex(frames.debug_frame, FrameFormat::kDebugFrame, 0, &hasher);
  return hasher.hash();
}

}  // namespace jprof
