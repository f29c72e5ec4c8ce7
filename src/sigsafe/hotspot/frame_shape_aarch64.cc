// The shapes of frames on AArch64, including frames that are just being set up or removed.
//
//   sub sp, sp, #N; stp x29, x30, [sp, #N-16] ... ldp x29, x30, [sp, #N-16]; add sp, sp, #N; ret
// or  stp x29, x30, [sp, #-16]! ...  (jdk-17+35
// src/hotspot/cpu/aarch64/macroAssembler_aarch64.cpp, MacroAssembler::build_frame, remove_frame).
// Until the frame is complete, the return address is taken from the link register.
#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

constexpr uint32_t kRet = 0xd65f03c0;

}  // namespace

bool FollowsCall(uint64_t pc) {
  constexpr uint32_t kBl = 0x94000000;
  constexpr uint32_t kBlr = 0xd63f0000;
  uint32_t instruction = 0;
  return GuardedLoad(pc - sizeof instruction, &instruction) &&
         ((instruction & 0xfc000000) == kBl || (instruction & 0xfffffc1f) == kBlr);
}

uint64_t CallTarget(uint64_t pc) {
  constexpr uint32_t kBl = 0x94000000;
  uint32_t instruction = 0;
  if (!GuardedLoad(pc - sizeof instruction, &instruction) || (instruction & 0xfc000000) != kBl) {
    return 0;
  }
  const auto words = static_cast<int32_t>(instruction << 6) >> 6;
  return pc - sizeof instruction + static_cast<uint64_t>(int64_t{words} * 4);
}

uint64_t JumpTarget(uint64_t) { return 0; }

uint64_t SavedVectorBytes(uint64_t) { return 0; }

// The return address of an incomplete frame is taken from the link register, so nothing is decoded.
bool DecodePendingReturn(uint64_t, PendingReturn*) { return false; }

int WordsBelowReturn(const CodeBlob&, uint64_t) { return -1; }

bool IsBeforeFrame(const CodeBlob&, uint64_t) { return false; }

bool IsEndOfThaw(uint64_t, uint8_t*) { return false; }

int WordsAbovePoll(const CodeBlob&, uint64_t) { return -1; }

uint64_t TailJumpTarget(const CodeBlob&, uint64_t) { return 0; }

bool NotesSenderLater(const CodeBlob&, uint64_t) { return false; }

bool IsCallTrampoline(uint64_t) { return false; }

int SavedRegisterWords(uint64_t, uint64_t) { return 0; }

bool DecodePendingThrow(uint64_t, PendingThrow*) { return false; }

// The stubs return by lr, and ToCallerAtEdge steps from them.
bool HasReturnInRegister(const CodeBlob&, uint64_t, uint8_t*) { return false; }

bool LoadsStackPointer(uint64_t pc, uint32_t offset) {
  constexpr uint64_t kMoveX8ToSp = 0x9100011f;
  constexpr uint64_t kLoadX8FromX28 = 0xf9400388;  // the offset is in bits 10 to 21, in words
  uint64_t code = 0;                               // ldr x8, [x28, #offset]; mov sp, x8
  return pc % sizeof(uint32_t) == 0 && GuardedLoad(pc, &code) &&
         code == (kMoveX8ToSp << 32 | kLoadX8FromX28 | uint64_t{offset / kWordSize} << 10);
}

bool SetsUpFramePointer(uint64_t entry) {
  constexpr uint64_t kEnter = 0x910003fda9bf7bfd;  // stp x29, x30, [sp, #-16]!; mov x29, sp
  uint64_t code = 0;
  return GuardedLoad(entry, &code) && code == kEnter;
}

FrameShape ShapeAt(const HotspotLayout&, const CodeBlob& blob, uint64_t pc) {
  JPROF_CHECK(pc - blob.code_begin < blob.code_end - blob.code_begin);
  uint32_t instruction = 0;
  static_cast<void>(GuardedLoad(pc, &instruction));
  const auto offset = static_cast<int64_t>(pc - blob.code_begin);
  if (instruction == kRet || offset < blob.frame_complete || blob.frame_size == 0) {
    return {0, false};
  }
  return {static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
}

}  // namespace jprof
