// SampleLog keeps all samples of a recording, by kind and thread, in about seven bytes each. Used
// by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace jprof::firefox {

struct LoggedSample {
  int64_t time_ns = 0;
  uint32_t stack = 0, state = 0;
  uint64_t samples = 0, value = 0;
};

class SampleLog {
 public:
  void Add(const profile::Sample& sample);

  // Moves the samples of thread `from` to thread `to`.
  void Join(uint32_t from, uint32_t to);

  // Returns the time of the first sample; INT64_MAX if there are no samples.
  int64_t first_ns() const { return first_ns_; }

  // Returns the samples of a kind in a thread, in ascending order of time.
  std::vector<LoggedSample> Of(uint32_t kind, uint32_t thread) const;

  // Returns the number of samples of a kind in a thread.
  uint64_t CountOf(uint32_t kind, uint32_t thread) const;
  // Returns the number of samples of all kinds by thread, for threads with samples.
  std::map<uint32_t, uint64_t> CountsByThread() const;

 private:
  // A block of whole entries. An entry is a sequence of varints in this order: the time since the
  // previous entry, in zigzag code; the state, with two flags that say which optional numbers
  // follow; the stack; the number of samples, unless it is 1; and the value, unless it is the value
  // of the previous entry.
  struct Block {
    std::unique_ptr<uint8_t[]> bytes;
    uint32_t used, size;
  };
  struct Stream {
    std::vector<Block> blocks;  // blocks, so that growing copies no entries
    int64_t last_ns = 0;
    uint64_t last_value = 0;
    uint64_t count = 0;    // number of entries
    uint64_t samples = 0;  // number of samples that the entries stand for
    bool is_ascending = true;
  };

  // Returns a block with room for one entry; adds a block if necessary.
  static Block& BlockFor(Stream& stream);
  template <class Visit>
  static void Decode(const Stream& stream, const Visit& visit);

  // Keyed by thread and kind. The streams of a thread are its own one and those of the threads that
  // were joined with it.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Stream>> streams_;
  int64_t first_ns_ = INT64_MAX;
  // Caches the streams of the last few samples. One stream would not be enough, because consecutive
  // samples mostly belong to different threads.
  struct Recent {
    std::pair<uint32_t, uint32_t> key;
    Stream* stream;  // nullptr if the entry is unused
  };
  std::array<Recent, 256> recent_{};
};

template <class Visit>
void SampleLog::Decode(const Stream& stream, const Visit& visit) {
  const uint8_t* at = nullptr;
  const auto next = [&at] {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *at++;
      number |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return number;
    }
  };
  LoggedSample sample;
  for (const Block& block : stream.blocks) {
    at = block.bytes.get();
    const uint8_t* const end = at + block.used;
    while (at < end) {
      const uint64_t step = next();
      const uint64_t change = (step >> 1) ^ (0 - (step & 1));
      sample.time_ns = static_cast<int64_t>(static_cast<uint64_t>(sample.time_ns) + change);
      const uint64_t head = next();
      sample.state = static_cast<uint32_t>(head >> 2);
      sample.stack = static_cast<uint32_t>(next());
      sample.samples = (head & 1) != 0 ? next() : 1;
      if ((head & 2) != 0) sample.value = next();
      visit(sample);
    }
  }
}

}  // namespace jprof::firefox
