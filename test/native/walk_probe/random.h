// Random: pseudo-random numbers determined by a seed (splitmix64). Async-signal-safe.
#pragma once

#include <cstdint>

namespace jprof::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }

  // Returns a number below `end`. REQUIRES: end > 0.
  uint64_t Below(uint64_t end) { return Next() % end; }

  // True once in `n` calls on average.
  bool Once(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace jprof::test
