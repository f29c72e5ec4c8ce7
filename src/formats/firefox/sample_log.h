// SampleLog: all samples of a recording, by kind and thread, in some seven bytes each. One thread.
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

  // The samples of thread `from` become samples of `to`.
  void Join(uint32_t from, uint32_t to);

  // Of all samples; the largest number: there are none.
  int64_t first_ns() const { return first_ns_; }

  // The samples of a kind in a thread, in ascending order of time.
  std::vector<LoggedSample> Of(uint32_t kind, uint32_t thread) const;

  // How many samples of a kind a thread has: 0 if there are none.
  uint64_t CountOf(uint32_t kind, uint32_t thread) const;
  // Of all kinds; threads with samples only.
  std::map<uint32_t, uint64_t> CountsByThread() const;

 private:
  // Whole entries: varints of the change of time, of the state and what follows, of the stack, and
  // of the number of samples and the value if they are not one and that of the last entry.
  struct Block {
    std::unique_ptr<uint8_t[]> bytes;
    uint32_t used, size;
  };
  struct Stream {
    std::vector<Block> blocks;  // so that growing copies nothing
    int64_t last_ns = 0;
    uint64_t last_value = 0;
    uint64_t count = 0;    // of entries
    uint64_t samples = 0;  // that they stand for
    bool is_ascending = true;
  };

  // Room for one entry.
  static Block& BlockFor(Stream& stream);
  template <class Visit>
  static void Decode(const Stream& stream, const Visit& visit);

  // By thread and kind; one, and those of threads that were joined.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Stream>> streams_;
  int64_t first_ns_ = INT64_MAX;
  // Of those in streams_ that got samples lately: threads take turns.
  struct Recent {
    std::pair<uint32_t, uint32_t> key;
    Stream* stream;  // nullptr: none
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
