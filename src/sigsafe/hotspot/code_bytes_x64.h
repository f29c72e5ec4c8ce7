// CodeBytes: the bytes of generated code on x86-64, and the registers of some instructions.
//
// Async-signal-safe. Only for the decoding of code in this folder.
#pragma once

#include <cstdint>

#include "sigsafe/os/guarded_load.h"

namespace jprof {

// The 16 bytes of code that start at an address. Unreadable bytes are 0.
class CodeBytes {
 public:
  explicit CodeBytes(uint64_t at) {
    static_cast<void>(GuardedLoad(at, &low_));
    static_cast<void>(GuardedLoad(at + sizeof low_, &high_));
  }

  uint8_t operator[](int i) const {
    return static_cast<uint8_t>(i < 8 ? low_ >> (8 * i) : high_ >> (8 * (i - 8)));
  }

  bool StartWith(int at, uint8_t a) const { return (*this)[at] == a; }
  bool StartWith(int at, uint8_t a, uint8_t b) const {
    return StartWith(at, a) && (*this)[at + 1] == b;
  }
  bool StartWith(int at, uint8_t a, uint8_t b, uint8_t c) const {
    return StartWith(at, a, b) && (*this)[at + 2] == c;
  }

 private:
  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

// Returns the DWARF number of the register that has the number `number` in instructions.
inline uint8_t DwarfNumber(int number) {
  constexpr uint8_t kNumbers[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
  return kNumbers[number];
}

struct DecodedRegister {
  int length = 0;  // length of the instruction in bytes; 0 if the bytes are another instruction
  uint8_t number = 0;
};

// Decodes an instruction of one byte, of which five bits are the operation and three the register.
// A prefix byte selects the upper eight registers.
inline DecodedRegister OneRegister(const CodeBytes& code, int at, uint8_t operation) {
  const bool is_upper = code[at] == 0x41;
  const int byte = is_upper ? code[at + 1] : code[at];
  if ((byte & 0xf8) != operation) return {};
  return {is_upper ? 2 : 1, DwarfNumber((byte & 7) + (is_upper ? 8 : 0))};
}

inline DecodedRegister JumpRegister(const CodeBytes& code, int at) {
  const bool is_upper = code[at] == 0x41;
  const int from = is_upper ? at + 1 : at;
  if (code[from] != 0xff) return {};
  DecodedRegister target = OneRegister(code, from + 1, 0xe0);
  if (target.length != 1) return {};
  target.number = DwarfNumber((code[from + 1] & 7) + (is_upper ? 8 : 0));
  target.length = is_upper ? 3 : 2;
  return target;
}

// Decodes `mov reg, %rsp`.
inline DecodedRegister MovToSp(const CodeBytes& code, int at) {
  const bool is_upper = code[at] == 0x49;
  if (!is_upper && code[at] != 0x48) return {};
  if (code[at + 1] != 0x8b || (code[at + 2] & 0xf8) != 0xe0) return {};
  return {3, DwarfNumber((code[at + 2] & 7) + (is_upper ? 8 : 0))};
}

}  // namespace jprof
