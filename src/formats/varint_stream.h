// VarintStream: varints (7 bits per byte) in Base64: a number below 2^21 takes 1.3 to 4 characters.
// Used by one thread.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

class VarintStream {
 public:
  void Add(uint64_t number) {
    while (number >= 0x80) {
      bytes_ += static_cast<char>(number | 0x80);
      number >>= 7;
    }
    bytes_ += static_cast<char>(number);
  }

  std::string Base64() const;

 private:
  std::string bytes_;
};

}  // namespace jprof
