// The words that compiled methods push below their frames, on x86-64.
#include <algorithm>
#include <initializer_list>

#include "sigsafe/hotspot/code_bytes_x64.h"
#include "sigsafe/hotspot/pushed_words.h"

namespace jprof {
namespace {

constexpr int kPopRbp = 0x5d;
constexpr uint64_t kCallSize = 5;

// True at call rel32.
bool IsCall(uint64_t pc) { return CodeBytes(pc).StartWith(0, 0xe8); }

// The instruction `sub $bytes, %rsp` or `add $bytes, %rsp`.
struct StackMove {
  int length = 0;  // 0 if the bytes are another instruction
  uint64_t bytes = 0;
};
// Decodes the instruction with the operation 0xec, `sub`, or 0xc4, `add`.
StackMove DecodeStackMove(const CodeBytes& code, uint8_t operation) {
  if (code.StartWith(0, 0x48, 0x83, operation)) return {4, code[3]};
  if (code.StartWith(0, 0x48, 0x81, operation) && code.StartWith(5, 0, 0)) {
    return {7, static_cast<uint64_t>(code[3] | code[4] << 8)};
  }
  return {};
}

// Returns the number of words that a GC barrier of C2 has saved below the method's frame (jdk-25+36
// src/hotspot/cpu/x86/gc/shared/barrierSetAssembler_x86.cpp, SaveLiveRegisters). The barrier's call
// is followed by mov N(%rsp), reg ...; add $imm, %rsp; jmp. A call in the method itself can be followed
// by add $imm, %rsp; pop %rbp, which removes the frame, and by barriers behind this.
int SavedBelowFrame(uint64_t pc) {
  constexpr uint64_t kMostBytes = 160;
  for (uint64_t at = 0; at < kMostBytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    if (!GuardedLoad(pc + at, &word)) return 0;
    for (uint64_t i = 0; i < sizeof word; ++i, word >>= 8) {
      if ((word & 0xff) != 0xc4) continue;
      const CodeBytes code(pc + at + i - 2);
      const StackMove add = DecodeStackMove(code, 0xc4);
      if (add.length != 0 && code[add.length] == kPopRbp) return 0;
      if (add.length == 0 || (code[add.length] != 0xe9 && code[add.length] != 0xeb)) continue;
      return static_cast<int>(add.bytes / kWordSize);
    }
  }
  return 0;
}

// Returns the length of a test whether a register is zero, with the jump behind it that depends on
// the test; 0 if the bytes are something else.
int LengthOfTestAndJump(const CodeBytes& code) {
  const int at = (code[0] & 0xf0) == 0x40 ? 1 : 0;  // REX
  int length = 0;
  if (code.StartWith(at, 0x85)) length = at + 2;                               // test reg, reg
  if (code.StartWith(at, 0x83) && code.StartWith(at + 2, 0)) length = at + 3;  // cmp $0, reg
  if (length == 0) return 0;
  if ((code[length] & 0xf0) == 0x70) return length + 2;
  return code.StartWith(length, 0x0f) && (code[length + 1] & 0xf0) == 0x80 ? length + 6 : 0;
}

// Returns the number of words that pop reg ... removes from `*pc` on. Moves `*pc` past these
// instructions.
int CountPops(uint64_t* pc) {
  constexpr int kMostPops = 4;
  int words = 0;
  for (; words < kMostPops; ++words) {
    const CodeBytes code(*pc);
    const int length = OneRegister(code, 0, 0x58).length;
    if (length == 0 || code.StartWith(0, kPopRbp)) break;
    *pc += static_cast<uint64_t>(length);
  }
  return words;
}

// The pops after a call.
struct Pops {
  int words = 0;
  bool removes_frame = false;  // the first pop is `pop %rbp`
};
// Decodes [add $8 or $16, %rsp; [mov reg, reg;]] pop reg ..., and after a test and a jump the pops of
// what was pushed before the arguments of the call (jdk-17+35
// src/hotspot/cpu/x86/c1_LIRAssembler_x86.cpp, emit_arraycopy).
Pops PopsAt(uint64_t pc) {
  const CodeBytes code(pc);
  Pops pops;
  int at = 0;
  if (code.StartWith(0, 0x48, 0x83, 0xc4) && (code[3] == 8 || code[3] == 16)) {
    pops.words = code[3] / kWordSize;
    at = 4;
    const bool moves =
        (code[at] & 0xf8) == 0x48 && (code[at + 1] & 0xfd) == 0x89 && code[at + 2] >= 0xc0;
    if (moves) at += 3;
  }
  if (code[at] == kPopRbp) return {0, true};
  uint64_t next = pc + static_cast<uint64_t>(at);
  const int arguments = CountPops(&next);
  pops.words += arguments;
  if (const int length = LengthOfTestAndJump(CodeBytes(next)); arguments != 0 && length != 0) {
    next += static_cast<uint64_t>(length);
    pops.words += CountPops(&next);
  }
  return pops;
}

// Returns the length of an instruction that has one of the operations, and moves a register to or
// from a place above the stack pointer; 0 if the bytes are another instruction.
int LengthOfMove(const CodeBytes& code, std::initializer_list<uint8_t> operations) {
  int at = 0;
  if ((code[0] & 0xf0) == 0x40) at = 1;  // REX
  if (code[0] == 0xc5) at = 2;           // VEX
  if (code[0] == 0xc4) at = 3;
  if (code[0] == 0x62) at = 4;  // EVEX
  const bool is_move = std::ranges::find(operations, code[at]) != operations.end();
  if (!is_move || (code[at + 1] & 7) != 4 || code[at + 2] != 0x24) return 0;
  const int mode = code[at + 1] >> 6;
  if (mode == 3) return 0;
  return at + 3 + (mode == 0 ? 0 : mode == 1 ? 1 : 4);
}

// Returns the length of a store of a register to a place above the stack pointer; 0 if there is none.
int LengthOfStore(uint64_t pc) {
  return LengthOfMove(CodeBytes(pc), {0x89, 0x11, 0x29, 0x7f, 0x91, 0xd6});
}

// Decodes sub $imm, %rsp; mov reg, N(%rsp) ... around `pc`; with a call behind, also the words that
// were pushed before (jdk-25+36 src/hotspot/cpu/x86/gc/z/zBarrierSetAssembler_x86.cpp,
// generate_c1_load_barrier_stub).
int LoweredBefore(const CodeBlob& blob, uint64_t pc) {
  constexpr uint64_t kMostBytes = 128;
  if (LengthOfStore(pc) == 0 && !IsCall(pc)) return 0;
  const uint64_t first = blob.code_begin + static_cast<uint64_t>(std::max(blob.frame_complete, 0));
  for (uint64_t at = pc - 4; at >= first && pc - at <= kMostBytes; --at) {
    const StackMove sub = DecodeStackMove(CodeBytes(at), 0xec);
    if (sub.length == 0) continue;
    uint64_t next = at + static_cast<uint64_t>(sub.length);
    bool is_around = next == pc;
    while (const int length = next - at > kMostBytes ? 0 : LengthOfStore(next)) {
      next += static_cast<uint64_t>(length);
      is_around = is_around || next == pc;
    }
    if (!is_around) continue;
    const int pushed = IsCall(next) ? PopsAt(next + kCallSize).words : 0;
    return std::max(static_cast<int>(sub.bytes / kWordSize), pushed);
  }
  return 0;
}

// Decodes [vzeroupper;] mov N(%rsp), reg ...; add $imm, %rsp from `pc` on, or the pops after a call.
// The `add` before `pop %rbp` removes the frame.
int LoweredAfter(uint64_t pc) {
  constexpr int kMostMoves = 32;
  if (CodeBytes(pc).StartWith(0, 0xc5, 0xf8, 0x77)) pc += 3;
  for (int i = 0; i < kMostMoves; ++i) {
    const CodeBytes code(pc);
    if (const StackMove add = DecodeStackMove(code, 0xc4); add.length != 0) {
      if (code[add.length] == kPopRbp) return 0;
      return std::max(static_cast<int>(add.bytes / kWordSize), PopsAt(pc).words);
    }
    const int length = LengthOfMove(code, {0x8b, 0x10, 0x28, 0x6f, 0x90, 0x7e});
    if (length == 0) return 0;
    pc += static_cast<uint64_t>(length);
  }
  return 0;
}

// Decodes push reg ...; call from `pc` on, or the pops after the call. This is how C1 passes the
// arguments of slow_subtype_check (jdk-21+35 src/hotspot/cpu/x86/c1_LIRAssembler_x86.cpp,
// emit_typecheck_helper).
int PushedAround(uint64_t pc) {
  constexpr int kMostPushes = 4;
  if (OneRegister(CodeBytes(pc), 0, 0x58).length != 0) return PopsAt(pc).words;
  int to_push = 0;
  for (; to_push < kMostPushes; ++to_push) {
    const int length = OneRegister(CodeBytes(pc), 0, 0x50).length;
    if (length == 0) break;
    pc += static_cast<uint64_t>(length);
  }
  if (!IsCall(pc)) return 0;
  return std::max(0, PopsAt(pc + kCallSize).words - to_push);
}

// True if the code up to 512 bytes after `pc` has sub %rdi, %rbx; [shr %ebx;] pop %rsp. The registers
// are those that the instructions of the search prescribe. `pc` can be at the second or third
// instruction.
bool PopsStackPointerSoon(uint64_t pc) {
  constexpr uint64_t kMostBytes = 512;
  constexpr uint64_t kBefore = 5;  // bytes of the instructions before the pop
  for (uint64_t at = pc - kBefore; at < pc + kMostBytes; at += sizeof(uint64_t)) {
    const CodeBytes code(at);
    for (int i = 0; i < 8; ++i) {
      if (!code.StartWith(i, 0x48, 0x2b, 0xdf)) continue;
      if (code.StartWith(i + 3, 0x5c) || code.StartWith(i + 3, 0xd1, 0xeb, 0x5c)) return true;
    }
  }
  return false;
}

}  // namespace

int WordsBelowSavedPointer(uint64_t pc, uint64_t sp) {
  constexpr uint64_t kMostWords = 8;  // two strings of two words each, three operands, the pointer
  uint64_t saved = 0;
  if (!GuardedLoad(sp, &saved) || saved <= sp || saved % kWordSize != 0) return 0;
  const uint64_t words = (saved - sp) / kWordSize;
  return words <= kMostWords && PopsStackPointerSoon(pc) ? static_cast<int>(words) : 0;
}

int PushedForCall(uint64_t pc) {
  const Pops pops = PopsAt(pc);
  return pops.words != 0 || pops.removes_frame ? pops.words : SavedBelowFrame(pc);
}

int LoweredWords(const CodeBlob& blob, uint64_t pc) {
  const int before = std::max(LoweredBefore(blob, pc), PushedAround(pc));
  return before != 0 ? before : LoweredAfter(pc);
}

}  // namespace jprof
