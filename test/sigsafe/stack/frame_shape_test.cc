#include "sigsafe/hotspot/frame_shape.h"

#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

TEST(FrameShapeTest, DecodesCodeThatHasRemovedAFrameBecauseOfAnException) {
  struct Case {
    std::vector<uint8_t> code;
    int return_slot;
    int fp_slot;
    int words;
  };
  const Case all[] = {
      // The interpreter: mov %rax, %rbx; pop %rdx; pop %rax; jmp *%rbx
      {{0x48, 0x8b, 0xd8, 0x5a, 0x58, 0xff, 0xe3}, 0, -1, 2},
      // The same after a call that needed an aligned stack: add $8, %rsp; jmp over the other call
      {{0x48, 0x83, 0xc4, 8, 0xe9, 5, 0, 0, 0, 0xe8, 1, 2, 3, 4, 0x48, 0x8b, 0xd8, 0x5a, 0x58},
       1,
       -1,
       3},
      {{0x48, 0x83, 0xc4, 8, 0xeb, 5, 0xe8, 1, 2, 3, 4, 0x48, 0x8b, 0xd8, 0x5a, 0x58}, 1, -1, 3},
      // The stub forward_exception: mov %rax, %rbx; pop %rdx; mov 8(%r15), %rax
      {{0x48, 0x8b, 0xd8, 0x5a, 0x49, 0x8b, 0x47, 0x08}, 0, -1, 1},
      // The stub unwind_exception of C1: mov %rax, %rbx; mov %r14, %rax; pop %rdx; jmp *%rbx
      {{0x48, 0x8b, 0xd8, 0x49, 0x8b, 0xc6, 0x5a, 0xff, 0xe3}, 0, -1, 1},
      {{0x48, 0x89, 0xc3, 0x4c, 0x89, 0xf0, 0x5a, 0xff, 0xe3}, 0, -1, 1},
      // The return barrier: mov %rax, %rbx; pop %rax; pop %rbp; pop %rdx; jmp *%rbx
      {{0x48, 0x8b, 0xd8, 0x58, 0x5d, 0x5a, 0xff, 0xe3}, 2, 1, 3},
      // Continuation.enterSpecial: mov %rax, %rbx; pop %rax; pop %rdx; jmp *%rbx
      {{0x48, 0x8b, 0xd8, 0x58, 0x5a, 0xff, 0xe3}, 1, -1, 2},
  };
  for (const Case& one : all) {
    const std::vector<uint8_t> code = Code(one.code, 64);
    PendingThrow pending{};
    ASSERT_TRUE(DecodePendingThrow(reinterpret_cast<uint64_t>(code.data()), &pending));
    EXPECT_EQ(pending.return_slot, one.return_slot);
    EXPECT_EQ(pending.fp_slot, one.fp_slot);
    EXPECT_EQ(pending.words, one.words);
  }
  for (const std::vector<uint8_t>& other : {std::vector<uint8_t>{0x48, 0x8b, 0xd8, 0x58},
                                            {0x48, 0x8b, 0xc3, 0x5a},  // mov %rbx, %rax
                                            {0x48, 0x83, 0xc4, 0x10, 0xeb, 0x00, 0x48, 0x8b, 0xd8},
                                            {0x5a, 0x58}}) {
    const std::vector<uint8_t> code = Code(other, 64);
    PendingThrow pending{};
    EXPECT_FALSE(DecodePendingThrow(reinterpret_cast<uint64_t>(code.data()), &pending));
  }
}

// Registers have DWARF's numbers: 3 is rbx, 5 rdi, 11 r11 and 13 r13.
TEST(FrameShapeTest, DecodesTheReturnCodeOfTheInterpreter) {
  struct Case {
    std::vector<uint8_t> code;
    PendingReturn pending;
  };
  const Case all[] = {
      // pop %rdi; mov %r11, %rsp; jmp *%rdi, starting at each instruction
      {{0x5f, 0x49, 0x8b, 0xe3, 0xff, 0xe7}, {true, 5, false, 11}},
      {{0x49, 0x8b, 0xe3, 0xff, 0xe7}, {false, 5, false, 11}},
      {{0xff, 0xe7}, {false, 5, true, 0}},
      // movb $0, 958(%r15); pop %rdi; mov %r11, %rsp; jmp *%rdi
      {{0x41, 0xc6, 0x87, 0xbe, 3, 0, 0, 0, 0x5f, 0x49, 0x8b, 0xe3, 0xff, 0xe7},
       {true, 5, false, 11}},
      // pop %r13; mov %rbx, %rsp; jmp *%r13
      {{0x41, 0x5d, 0x48, 0x8b, 0xe3, 0x41, 0xff, 0xe5}, {true, 13, false, 3}},
      {{0x41, 0xff, 0xe5}, {false, 13, true, 0}},
      // cmp 1568(%r15), %rsp; jb; movq $0, 1568(%r15); jmp *%r13
      {{0x49, 0x3b, 0xa7, 0x20, 6, 0, 0, 0x72, 0x0b, 0x49, 0xc7, 0x87,
        0x20, 6,    0,    0,    0, 0, 0, 0,    0x41, 0xff, 0xe5},
       {false, 13, true, 0}},
  };
  for (const Case& one : all) {
    const std::vector<uint8_t> code = Code(one.code, 64);
    PendingReturn pending{};
    ASSERT_TRUE(DecodePendingReturn(reinterpret_cast<uint64_t>(code.data()), &pending));
    EXPECT_EQ(pending.is_on_top, one.pending.is_on_top);
    EXPECT_EQ(pending.return_register, one.pending.return_register);
    EXPECT_EQ(pending.sender_is_sp, one.pending.sender_is_sp);
    if (pending.sender_is_sp) continue;
    EXPECT_EQ(pending.sender_register, one.pending.sender_register);
  }
  for (const std::vector<uint8_t>& other : {std::vector<uint8_t>{0x5f, 0xff, 0xe7},  // no sender
                                            {0x5e, 0x49, 0x8b, 0xe3, 0xff, 0xe7},    // pop %rsi
                                            {0x49, 0x8b, 0xe3, 0xc3},
                                            {0xff, 0x67, 0x10}}) {  // jmp *16(%rdi)
    const std::vector<uint8_t> code = Code(other, 64);
    PendingReturn pending{};
    EXPECT_FALSE(DecodePendingReturn(reinterpret_cast<uint64_t>(code.data()), &pending));
  }
}

TEST(FrameShapeTest, DecodesTheTargetOfACallByDistanceOrRegister) {
  const std::vector<uint8_t> relative = Code({0xe8, 0x10, 0, 0, 0}, 64);
  const auto at = reinterpret_cast<uint64_t>(relative.data());
  EXPECT_EQ(CallTarget(at + 5), at + 5 + 0x10);
  std::vector<uint8_t> bytes = {0x49, 0xba, 8, 7, 6, 5, 4, 3, 2, 1, 0x41, 0xff, 0xd2};
  const std::vector<uint8_t> absolute = Code(bytes, 64);
  EXPECT_EQ(CallTarget(reinterpret_cast<uint64_t>(absolute.data()) + 13), 0x0102030405060708u);
  bytes[12] = 0xd3;  // call *%r11
  const std::vector<uint8_t> other = Code(bytes, 64);
  EXPECT_EQ(CallTarget(reinterpret_cast<uint64_t>(other.data()) + 13), 0u);
}

// The stubs that fill arrays copy an argument before they set up their frames.
TEST(FrameShapeTest, AStubMayCopyARegisterBeforeItSetsUpItsFrame) {
  const auto sets_up = [](std::vector<uint8_t> code) {
    code.resize(32);
    return SetsUpFramePointer(reinterpret_cast<uint64_t>(code.data()));
  };
  EXPECT_TRUE(sets_up({0x55, 0x48, 0x8b, 0xec}));
  EXPECT_TRUE(sets_up({0x4c, 0x8b, 0xda, 0x55, 0x48, 0x8b, 0xec}));
  EXPECT_FALSE(sets_up({0x4c, 0x8b, 0x1a, 0x55, 0x48, 0x8b, 0xec})) << "loads from memory";
  EXPECT_FALSE(sets_up({0x4c, 0x8b, 0xda, 0x55, 0x53}));
}

TEST(FrameShapeTest, ATrampolineLoadsAMethodAndJumps) {
  std::vector<uint8_t> bytes = {0x48, 0xbb, 1, 2, 3, 4, 5, 6, 0, 0, 0xe9, 1, 2, 3, 4};
  std::vector<uint8_t> code = Code(bytes, 64);
  const auto at = reinterpret_cast<uint64_t>(code.data());
  EXPECT_TRUE(IsCallTrampoline(at));
  EXPECT_TRUE(IsCallTrampoline(at + 10));
  EXPECT_FALSE(IsCallTrampoline(at + 2));
  bytes[10] = 0xc3;
  code = Code(bytes, 64);
  EXPECT_FALSE(IsCallTrampoline(reinterpret_cast<uint64_t>(code.data())));
}

}  // namespace
}  // namespace jprof::test
