// The words that compiled methods push below their frames, on AArch64.
//
// Code that lowers the stack pointer below a frame raises it again before it jumps elsewhere or removes
// the frame. So the number of words follows from the code after `pc`.
#include "sigsafe/hotspot/code_words_aarch64.h"
#include "sigsafe/hotspot/pushed_words.h"

namespace jprof {
namespace {

// The maximum number of instructions up to the jump behind the pops: a barrier of the garbage
// collector restores all registers in fewer (jdk-25+36
// src/hotspot/cpu/aarch64/gc/shared/barrierSetAssembler_aarch64.cpp, SaveLiveRegisters).
constexpr int kMostInstructions = 96;

// Returns the number of words by which the code at `pc` raises the stack pointer before it jumps or
// removes the frame; 0 if the code is not understood. `frame_bytes` is the size of the frame; 0 if it
// is not known.
int RaisedWords(uint64_t pc, int64_t frame_bytes) {
  int64_t raised = 0;
  for (int i = 0; i < kMostInstructions; ++i, pc += kCodeWord) {
    const uint32_t word = CodeWordAt(pc);
    if (word == kPopFpAndLink) raised -= frame_bytes - 16;
    if (RestoresFpAndLink(word) || IsJumpWord(word)) {
      return raised > 0 ? static_cast<int>(raised / static_cast<int64_t>(kWordSize)) : 0;
    }
    if (word == 0 || word == kRet || word == kMoveFpToSp || IsRegisterJumpWord(word)) return 0;
    raised += RaisedBytes(word);
  }
  return 0;
}

}  // namespace

int LoweredWords(const CodeBlob& blob, uint64_t pc) {
  return RaisedWords(pc, int64_t{blob.frame_size} * static_cast<int64_t>(kWordSize));
}

// A large frame is removed by add sp, sp, #N; ldp x29, x30, [sp], #16, so the size of the frame is
// taken from the `add`: the words before it were pushed.
int PushedForCall(uint64_t pc) {
  for (int i = 0; i < kMostInstructions; ++i) {
    const uint64_t at = pc + static_cast<uint64_t>(i) * kCodeWord;
    if (CodeWordAt(at + kCodeWord) != kPopFpAndLink) continue;
    return RaisedWords(pc, RaisedBytes(CodeWordAt(at)) + 16);
  }
  return RaisedWords(pc, 0);
}

int WordsBelowSavedPointer(uint64_t, uint64_t) { return 0; }

}  // namespace jprof
