#include "sigsafe/hotspot/pushed_words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace jprof {
namespace {

TEST(PushedWordsTest, FindsWordsThatWerePushedForACall) {
  struct Case {
    std::vector<uint8_t> code;
    int words;
  };
  const Case all[] = {
      {{0x48, 0x83, 0xc4, 0x08, 0xe9}, 1},                    // add $8, %rsp
      {{0x48, 0x83, 0xc4, 0x10, 0xeb}, 2},                    // add $16, %rsp
      {{0x48, 0x83, 0xc4, 0x10, 0x48, 0x8b, 0xd8, 0x58}, 3},  // add; mov; pop %rax
      {{0x58, 0x58, 0x85, 0xc0}, 2},                          // pop; pop
      {{0x41, 0x58, 0x59, 0x85}, 2},                          // pop %r8; pop %rcx
      {{0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3}, 0},  // add; pop %rbp, which removes the frame
      {{0x48, 0x83, 0xc4, 0x40, 0x5d, 0xc3}, 0},
      {{0x90, 0x58}, 0},
      // pop; pop; test %eax, %eax; jne; pop; pop
      {{0x58, 0x59, 0x85, 0xc0, 0x0f, 0x85, 1, 2, 0, 0, 0x58, 0x59}, 4},
      // pop %r8; pop %rcx; cmp $0, %r8d; jne; pop; pop
      {{0x41, 0x58, 0x59, 0x41, 0x83, 0xf8, 0x00, 0x75, 0x10, 0x58, 0x59}, 4},
      {{0x58, 0x59, 0x41, 0x83, 0xf8, 0x01, 0x75, 0x10, 0x58, 0x59}, 2},  // cmp $1
      // mov 24(%rsp), %rax; add $64, %rsp; jmp: restores registers that a GC barrier has saved
      {{0x48, 0x8b, 0x44, 0x24, 0x18, 0x48, 0x83, 0xc4, 0x40, 0xe9}, 8},
      {{0x48, 0x8b, 0x44, 0x24, 0x18, 0x48, 0x81, 0xc4, 0x80, 0x01, 0, 0, 0xeb}, 48},
  };
  for (const Case& one : all) {
    std::vector<uint8_t> code = one.code;
    code.resize(256, 0x90);
    EXPECT_EQ(PushedForCall(reinterpret_cast<uint64_t>(code.data())), one.words);
  }
}

// ZGC's barriers on JDK 17 save scalars with vmovq.
TEST(PushedWordsTest, KnowsTheRoomForScalarsThatABarrierSaves) {
  std::vector<uint8_t> code = {0x48, 0x83, 0xec, 0x60,              // 0: sub $96, %rsp
                               0xc5, 0xf9, 0xd6, 0x44, 0x24, 0x58,  // 4: vmovq %xmm0, 88(%rsp)
                               0xe8, 0,    0,    0,    0,           // 10: call
                               0xc5, 0xfa, 0x7e, 0x44, 0x24, 0x58,  // 15: vmovq 88(%rsp), %xmm0
                               0x48, 0x83, 0xc4, 0x60, 0xe9};       // 21: add $96, %rsp; jmp
  code.resize(256, 0x90);
  CodeBlob blob{};
  blob.code_begin = reinterpret_cast<uint64_t>(code.data());
  blob.code_end = blob.code_begin + code.size();
  for (const uint64_t at : {4, 10, 15, 21}) {
    EXPECT_EQ(LoweredWords(blob, blob.code_begin + at), 12) << at;
  }
}

}  // namespace
}  // namespace jprof
