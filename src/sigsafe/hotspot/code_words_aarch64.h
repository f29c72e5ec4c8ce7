// Decoders of single instructions of generated code on AArch64 (Arm Architecture Reference Manual
// for A-profile, C6.2). Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/os/guarded_load.h"

namespace jprof {

inline constexpr uint64_t kCodeWord = 4;  // size of each instruction
inline constexpr uint32_t kRet = 0xd65f03c0;
inline constexpr uint32_t kMoveFpToSp = 0x910003bf;      // mov sp, x29
inline constexpr uint32_t kPushFpAndLink = 0xa9bf7bfd;   // stp x29, x30, [sp, #-16]!
inline constexpr uint32_t kMoveSpToFp = 0x910003fd;      // mov x29, sp
inline constexpr uint32_t kPopFpAndLink = 0xa8c17bfd;    // ldp x29, x30, [sp], #16
inline constexpr uint32_t kStackPointerBits = 31U << 5;  // sp as the base of a load or store

// Loads the instruction at `pc`; 0, which is no instruction of generated code, if that fails.
inline uint32_t CodeWordAt(uint64_t pc) {
  uint32_t word = 0;
  return GuardedLoad(pc, &word) ? word : 0;
}

inline int64_t SignExtended(uint32_t value, int bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

// True at bl and blr.
inline bool IsCallWord(uint32_t word) {
  return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000;
}

// True at b, which always jumps.
inline bool IsJumpWord(uint32_t word) { return (word & 0xfc000000) == 0x14000000; }

// True at br.
inline bool IsRegisterJumpWord(uint32_t word) { return (word & 0xfffffc1f) == 0xd61f0000; }

// Returns the target of `b` or `bl` at `pc`.
inline uint64_t BranchTarget(uint64_t pc, uint32_t word) {
  return pc + static_cast<uint64_t>(SignExtended(word & 0x3ffffff, 26) * 4);
}

// Returns the address that adrp x at `pc` and add x, x, #low after it compute for the register of
// adrp; 0 if the instructions are different.
inline uint64_t PageAddress(uint64_t pc) {
  constexpr uint64_t kPageMask = 4095;
  const uint32_t adrp = CodeWordAt(pc);
  const uint32_t add = CodeWordAt(pc + kCodeWord);
  const uint32_t number = adrp & 31;
  if ((adrp & 0x9f000000) != 0x90000000 ||
      (add & 0xffc003ff) != (0x91000000U | number << 5 | number)) {
    return 0;
  }
  const int64_t pages = SignExtended((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3), 21);
  return (pc & ~kPageMask) + static_cast<uint64_t>(pages * 4096) + (add >> 10 & 0xfff);
}

// Returns the number of bytes by which an instruction raises the stack pointer by a constant, by
// add, or by a load whose base is sp and which writes sp back; negative if it lowers it.
inline int64_t RaisedBytes(uint32_t word) {
  const uint32_t unshifted = word & 0xffc003ff;
  const int64_t constant = word >> 10 & 0xfff;
  if (unshifted == 0x910003ff) return constant;          // add sp, sp, #
  if (unshifted == 0xd10003ff) return -constant;         // sub sp, sp, #
  if (unshifted == 0x914003ff) return constant * 4096;   // add sp, sp, #, lsl #12
  if (unshifted == 0xd14003ff) return -constant * 4096;  // sub sp, sp, #, lsl #12
  if ((word & (31U << 5)) != kStackPointerBits) return 0;
  // A pair of registers, general or vector, before (pre-index) or after (post-index) the access.
  if ((word & 0x3a800000) == 0x28800000) {
    const uint32_t size = word >> 30;
    const bool is_vector = (word & 1U << 26) != 0;
    const int64_t scale = is_vector ? int64_t{4} << size : (size >= 2 ? 8 : 4);
    return SignExtended(word >> 15 & 0x7f, 7) * scale;
  }
  // One register, before or after the access.
  if ((word & 0x3b200400) == 0x38000400) return SignExtended(word >> 12 & 0x1ff, 9);
  return 0;
}

// True at ldp x29, x30 from the stack.
inline bool RestoresFpAndLink(uint32_t word) {
  return (word & 0xffc07fff) == 0xa9407bfd || (word & 0xffc07fff) == 0xa8c07bfd;
}

// True at stp x29, x30 to the stack.
inline bool SavesFpAndLink(uint32_t word) {
  return (word & 0xffc07fff) == 0xa9007bfd || (word & 0xffc07fff) == 0xa9807bfd;
}

}  // namespace jprof
