#include "formats/varint_stream.h"

#include <cstddef>

namespace jprof {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string VarintStream::Base64() const {
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes_.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      const auto byte = at + i < bytes_.size() ? static_cast<uint8_t>(bytes_[at + i]) : uint8_t{0};
      group = group << 8 | byte;
    }
    for (size_t i = 0; i < 4; ++i) {
      const bool is_padding = at + i > bytes_.size();
      text += is_padding ? '=' : kDigits[group >> (18 - 6 * i) & 0x3F];
    }
  }
  return text;
}

}  // namespace jprof
