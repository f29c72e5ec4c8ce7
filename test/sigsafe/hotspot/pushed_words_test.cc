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

}  // namespace
}  // namespace jprof
