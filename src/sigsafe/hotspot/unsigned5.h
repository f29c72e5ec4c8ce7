// Decodes HotSpot's variable-length integers. They have up to five bytes of six bits each; a byte
// below 192 is the last one (jdk-25+36 src/hotspot/share/utilities/unsigned5.hpp; jdk-17+35
// src/hotspot/share/code/compressedStream.cpp, where `bias` is 0).
//
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/os/guarded_load.h"

namespace jprof {

// Decodes a number whose bytes read_byte(&byte) reads in turn. `bias` is subtracted from each byte
// (HotspotLayout::unsigned5_bias). Returns false if read_byte returns false.
template <typename ReadByte>
[[nodiscard]] bool DecodeUnsigned5(uint8_t bias, ReadByte&& read_byte, uint32_t* value) {
  constexpr uint32_t kHighCodes = 64;  // number of byte values after which another byte follows
  constexpr uint32_t kFirstHighCode = 256 - kHighCodes;
  constexpr int kMaxBytes = 5;
  uint32_t sum = 0;
  for (int i = 0; i < kMaxBytes; ++i) {
    uint8_t byte = 0;
    if (!read_byte(&byte)) return false;
    sum += (uint32_t{byte} - bias) << (6 * i);
    if (byte < kFirstHighCode) break;
  }
  *value = sum;
  return true;
}

// Reads the number at *at and advances *at. Returns false if the number is unreadable.
[[nodiscard]] inline bool ReadUnsigned5(uint8_t bias, uint64_t* at, uint32_t* value) {
  const auto read_byte = [at](uint8_t* byte) { return GuardedLoad((*at)++, byte); };
  return DecodeUnsigned5(bias, read_byte, value);
}

}  // namespace jprof
