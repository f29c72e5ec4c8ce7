// Walks from compiled methods that have words on the stack below their frames.
#include "sigsafe/hotspot/pushed_words.h"

#include <utility>

#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

class PushedWordsTest : public VmWalkTest {};

// The method has lowered its stack pointer below its frame for a call, while a word of the frame is a
// return address that is left from an earlier call.
TEST_F(PushedWordsTest, AMethodThatHasLoweredItsStackPointerForACallIsLeftByItsWholeFrame) {
  PutCode(compiled_ + 100, {0x48, 0x83, 0xec, 0x10,          // 100: sub $16, %rsp
                            0x48, 0x89, 0x5c, 0x24, 0x08,    // 104: mov %rbx, 8(%rsp)
                            0x48, 0x89, 0x04, 0x24,          // 109: mov %rax, (%rsp)
                            0xe8, 0,    0,    0,    0,       // 113: call
                            0x48, 0x8b, 0x04, 0x24,          // 118: mov (%rsp), %rax
                            0x48, 0x83, 0xc4, 0x10, 0xeb});  // 122: add $16, %rsp; jmp
  vm_.Stack(93) = compiled_ + 50;
  vm_.Stack(95) = compiled_ + 50;
  CalledFromEntry(100);
  for (const uint64_t offset : {104, 109, 113, 118, 122}) {
    EXPECT_EQ(Walk(compiled_ + offset, 90, 0), "c2:a0:-1 c2:a0:3 root") << offset;
  }
  vm_.Stack(93) = vm_.interpreter();
  EXPECT_EQ(Walk(compiled_ + 100, 92, 0), "c2:a0:-1 c2:a0:3 root") << "not lowered yet";
}

// A barrier of C1 has pushed a register before it lowers the stack pointer.
TEST_F(PushedWordsTest, AMethodThatHasPushedARegisterForACallIsLeftByItsWholeFrame) {
  PutCode(compiled_ + 100, {0x50,                          // 100: push %rax
                            0x48, 0x83, 0xec, 0x10,        // 101: sub $16, %rsp
                            0x48, 0x89, 0x7c, 0x24, 0x08,  // 105: mov %rdi, 8(%rsp)
                            0x4c, 0x89, 0x0c, 0x24,        // 110: mov %r9, (%rsp)
                            0xe8, 0,    0,    0,    0,     // 114: call
                            0x48, 0x83, 0xc4, 0x10,        // 119: add $16, %rsp
                            0x4c, 0x8b, 0xc8,              // 123: mov %rax, %r9
                            0x58, 0xe9});                  // 126: pop %rax; jmp
  for (const size_t word : {92u, 94u, 95u}) vm_.Stack(word) = compiled_ + 50;
  CalledFromEntry(100);
  for (const uint64_t offset : {105, 110, 114, 119}) {
    EXPECT_EQ(Walk(compiled_ + offset, 89, 0), "c2:a0:-1 c2:a0:3 root") << offset;
  }
}

// C1 pushes the arguments of slow_subtype_check.
TEST_F(PushedWordsTest, AMethodThatPushesArgumentsForACallIsLeftByItsWholeFrame) {
  PutCode(compiled_ + 100, {0x53, 0x41, 0x56,    // 100: push %rbx; push %r14
                            0xe8, 0, 0, 0, 0,    // 103: call
                            0x5b, 0x41, 0x5e,    // 108: pop %rbx; pop %r14
                            0x85, 0xdb, 0x0f});  // 111: test %ebx, %ebx
  for (const size_t word : {93u, 94u, 95u}) vm_.Stack(word) = compiled_ + 50;
  CalledFromEntry(100);
  const std::pair<uint64_t, size_t> places[] = {
      {100, 92}, {101, 91}, {103, 90}, {108, 90}, {109, 91}};
  for (const auto& [offset, sp] : places) {
    EXPECT_EQ(Walk(compiled_ + offset, sp, 0), "c2:a0:-1 c2:a0:3 root") << offset;
  }
}

// The method has called a stub. Behind the code that removes its frame is that of a barrier, which
// restores registers from below the frame.
TEST_F(PushedWordsTest, ABarrierBehindTheEndOfAMethodSaysNothingOfItsFrame) {
  const uint64_t stub = vm_.AddStub("arrayof_jbyte_fill", 0, Code({0x55, 0x48, 0x8b, 0xec}));
  PutCode(compiled_ + 100, {0xe8, 0,    0,    0,    0,     // 100: call
                            0xc5, 0xf8, 0x77,              // 105: vzeroupper
                            0x48, 0x83, 0xc4, 0x10, 0x5d,  // 108: add $16, %rsp; pop %rbp
                            0xc3,                          // 113: ret
                            0x48, 0x8b, 0x04, 0x24,        // 114: mov (%rsp), %rax
                            0x48, 0x83, 0xc4, 0x20, 0xeb});
  CalledFromEntry(104);
  vm_.Stack(99) = compiled_ + 50;  // of the method that has called the one at 105
  vm_.Stack(103) = vm_.layout().call_stub_return;
  vm_.Stack(95) = compiled_ + 105;
  vm_.Stack(94) = 0x1234;
  EXPECT_EQ(Walk(stub + 40, 92, vm_.StackAddress(94)), "stub c2:a0:-1 c2:a0:3 root");
}

// C2 has inlined String.indexOf: strings at the end of a page are copied to the stack, two words for
// each, then three words and the old stack pointer are pushed.
TEST_F(PushedWordsTest, AMethodThatHasPushedItsStackPointerIsLeftByItsWholeFrame) {
  PutCode(compiled_ + 100, {0xc4, 0xe3, 0x79, 0x61, 0x03, 0x0c,  // 100: pcmpestri
                            0x72, 0x1e,                          // 106: jb
                            0x48, 0x2b, 0xdf,                    // 108: sub %rdi, %rbx
                            0xd1, 0xeb,                          // 111: shr %ebx
                            0x5c});                              // 113: pop %rsp
  constexpr size_t kSp = 92;
  for (const size_t words : {1u, 3u, 4u, 6u, 8u}) {
    CalledFromEntry(100);
    for (size_t i = kSp - words; i < 94; ++i) vm_.Stack(i) = compiled_ + 50;
    vm_.Stack(kSp - words) = vm_.StackAddress(kSp);
    vm_.Stack(kSp + 3) = compiled_ + 50;
    for (const uint64_t offset : {100, 106, 108, 111, 113}) {
      EXPECT_EQ(Walk(compiled_ + offset, kSp - words, 0), "c2:a0:-1 c2:a0:3 root")
          << words << " words at " << offset;
    }
  }
}

// Code behind the search can have an address of the stack on top of the stack.
TEST_F(PushedWordsTest, AnAddressOfTheStackIsNoStackPointerWithoutTheCodeThatPopsIt) {
  CalledFromEntry(100);
  vm_.Stack(92) = vm_.StackAddress(94);
  vm_.Stack(95) = compiled_ + 50;
  vm_.Stack(97) = compiled_ + 50;
  EXPECT_EQ(Walk(compiled_ + 100, 92, 0), "c2:a0:-1 c2:a0:3 root");
}

}  // namespace
}  // namespace jprof::test
