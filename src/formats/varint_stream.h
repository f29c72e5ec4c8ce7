// VarintStream encodes numbers as varints (7 bits per byte) in Base64. A number below 2^21 takes
// 1.3 to 4 characters. Used by one thread.
#pragma once

#include <cstddef>
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

  std::string Base64() const {
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes_.size(); at += 3) {
      uint32_t group = 0;
      for (size_t i = 0; i < 3; ++i) {
        const auto byte =
            at + i < bytes_.size() ? static_cast<uint8_t>(bytes_[at + i]) : uint8_t{0};
        group = group << 8 | byte;
      }
      for (size_t i = 0; i < 4; ++i) {
        const bool is_padding = at + i > bytes_.size();
        text += is_padding ? '=' : kDigits[group >> (18 - 6 * i) & 0x3F];
      }
    }
    return text;
  }

 private:
  std::string bytes_;
};

}  // namespace jprof
