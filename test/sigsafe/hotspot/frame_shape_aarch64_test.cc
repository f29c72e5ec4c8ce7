// Tests of frame_shape_aarch64.cc and pushed_words_aarch64.cc: code as HotSpot generates it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/pushed_words.h"

namespace jprof::test {
namespace {

constexpr uint32_t kNop = 0xd503201f;
constexpr uint32_t kRet = 0xd65f03c0;
constexpr uint32_t kAddX0 = 0x91000400;        // add x0, x0, #1
constexpr uint32_t kLower64 = 0xd10103ff;      // sub sp, sp, #64
constexpr uint32_t kSaveAt48 = 0xa9037bfd;     // stp x29, x30, [sp, #48]
constexpr uint32_t kRestoreAt48 = 0xa9437bfd;  // ldp x29, x30, [sp, #48]
constexpr uint32_t kRaise64 = 0x910103ff;      // add sp, sp, #64
constexpr uint32_t kLoadPoll = 0xf9422388;     // ldr x8, [x28, #1088]
constexpr uint32_t kComparePoll = 0xeb2863ff;  // cmp sp, x8
constexpr uint32_t kJumpIfHigher = 0x540000a8;
constexpr uint32_t kPush = 0xa9bf7bfd;       // stp x29, x30, [sp, #-16]!
constexpr uint32_t kPop = 0xa8c17bfd;        // ldp x29, x30, [sp], #16
constexpr uint32_t kLower1024 = 0xd11003ff;  // sub sp, sp, #1024
constexpr uint32_t kRaise1024 = 0x911003ff;  // add sp, sp, #1024
constexpr uint32_t kCall = 0x94000010;       // bl
constexpr uint32_t kJump = 0x14000100;       // b
constexpr uint32_t kPushTwo = 0xa9bf07e0;    // stp x0, x1, [sp, #-16]!
constexpr uint32_t kPopTwo = 0xa8c107e0;     // ldp x0, x1, [sp], #16
constexpr uint8_t kLinkNumber = 30;

// The code of a method whose frame has `words` words and is complete after `complete` instructions.
struct Method {
  Method(std::vector<uint32_t> instructions, int32_t words, int32_t complete)
      : code(std::move(instructions)) {
    code.resize(code.size() + 32, kNop);
    blob = {0, At(0), At(code.size()), words, complete * 4, true};
  }
  uint64_t At(size_t i) const { return reinterpret_cast<uint64_t>(code.data() + i); }

  // Returns the number of bytes to the caller's stack pointer, if the return address is in the link
  // register; else -1.
  int64_t ByLink(size_t i) const {
    uint8_t number = 0;
    uint64_t bytes = 0;
    if (!HasReturnInRegister(vm, blob, At(i), &number, &bytes)) return -1;
    EXPECT_EQ(number, kLinkNumber);
    return static_cast<int64_t>(bytes);
  }
  FrameShape Shape(size_t i) const { return ShapeAt(vm, blob, At(i)); }

  std::vector<uint32_t> code;
  CodeBlob blob;
  HotspotLayout vm{};
};

TEST(FrameShapeAarch64Test, ASmallFrameIsSetUpAndRemoved) {
  const Method method({kNop, kLower64, kSaveAt48, kNop, kAddX0, kRestoreAt48, kRaise64, kLoadPoll,
                       kComparePoll, kJumpIfHigher, kRet},
                      8, 3);
  EXPECT_EQ(method.ByLink(0), 0);
  EXPECT_EQ(method.ByLink(1), 0);
  EXPECT_EQ(method.ByLink(2), 64);  // before the store
  for (size_t complete : {3, 4, 5}) {
    EXPECT_EQ(method.ByLink(complete), -1);
    EXPECT_EQ(method.Shape(complete).size, 64U);
    EXPECT_TRUE(method.Shape(complete).fp_saved);
  }
  EXPECT_EQ(method.ByLink(6), 64);  // after the load
  for (size_t removed : {7, 8, 9, 10}) EXPECT_EQ(method.ByLink(removed), 0);
}

TEST(FrameShapeAarch64Test, ALargeFrameIsSetUpAndRemovedInTwoSteps) {
  const Method method({kNop, kPush, kLower1024, kNop, kRaise1024, kPop, kRet}, 130, 3);
  EXPECT_EQ(method.ByLink(1), 0);
  EXPECT_EQ(method.Shape(2).size, 16U);
  EXPECT_EQ(method.Shape(3).size, 1040U);
  EXPECT_EQ(method.Shape(4).size, 1040U);
  EXPECT_EQ(method.Shape(5).size, 16U);
  EXPECT_EQ(method.ByLink(6), 0);
}

TEST(FrameShapeAarch64Test, ThePollBehindAMethodHasNoFrame) {
  constexpr uint32_t kAdr = 0x10ffff88;      // adr x8
  constexpr uint32_t kStorePc = 0xf9021788;  // str x8, [x28, #1064]
  Method method({kRet, kAdr, kStorePc, kJump}, 8, 0);
  method.vm.thread_polled_pc = {1064, 8, false};
  EXPECT_EQ(method.ByLink(1), 0);
  EXPECT_EQ(method.ByLink(2), 0);
  EXPECT_EQ(method.ByLink(3), 0);
}

TEST(FrameShapeAarch64Test, TheInterpreterLeavesAMethod) {
  constexpr uint32_t kMoveSender = 0xaa0903f4;  // mov x20, x9
  constexpr uint32_t kAlign = 0x927cee9f;       // and sp, x20, #-16
  constexpr uint32_t kStoreFlag = 0x39130f9f;   // strb wzr, [x28, #...]
  const std::vector<uint32_t> code = {kPop, kStoreFlag, kMoveSender, kAlign, kRet, kNop, kNop};
  const auto at = [&](size_t i) { return reinterpret_cast<uint64_t>(code.data() + i); };
  PendingReturn pending{};
  EXPECT_FALSE(DecodePendingReturn(at(0), &pending));
  for (size_t i : {1, 2}) {
    ASSERT_TRUE(DecodePendingReturn(at(i), &pending));
    EXPECT_EQ(pending.sender_register, 9);
    EXPECT_EQ(pending.return_register, kLinkNumber);
    EXPECT_FALSE(pending.sender_is_sp);
  }
  ASSERT_TRUE(DecodePendingReturn(at(3), &pending));
  EXPECT_EQ(pending.sender_register, 20);
  ASSERT_TRUE(DecodePendingReturn(at(4), &pending));
  EXPECT_TRUE(pending.sender_is_sp);
}

TEST(FrameShapeAarch64Test, TargetsOfCallsAreDecoded) {
  std::vector<uint32_t> code(64, kNop);
  const auto at = [&](size_t i) { return reinterpret_cast<uint64_t>(code.data() + i); };
  code[0] = 0x94000008;  // bl to word 8
  EXPECT_EQ(CallTarget(at(1)), at(8));
  code[8] = 0x58000048;  // ldr x8, #8
  code[9] = 0xd61f0100;  // br x8
  const uint64_t beyond = 0x7f1234567890;
  memcpy(&code[10], &beyond, sizeof beyond);
  EXPECT_EQ(CallTarget(at(1)), beyond);
  code[20] = 0xd28f1208;  // mov x8, #0x7890
  code[21] = 0xf2a68ac8;  // movk x8, #0x3456, lsl #16
  code[22] = 0xf2cfe248;  // movk x8, #0x7f12, lsl #32
  code[23] = 0xd63f0100;  // blr x8
  EXPECT_TRUE(FollowsCall(at(24)));
  EXPECT_EQ(CallTarget(at(24)), 0x7f1234567890U);
  EXPECT_FALSE(FollowsCall(at(30)));
}

// C1's slow_subtype_check of JDK 25: it saves registers, and pops them on each path to a return.
TEST(FrameShapeAarch64Test, AStubWithoutAFrameKeepsItsReturnAddressInTheRegister) {
  constexpr uint32_t kPushFour = 0xa9be0be0;  // stp x0, x2, [sp, #-32]!
  constexpr uint32_t kPopFour = 0xa8c20be0;   // ldp x0, x2, [sp], #32
  constexpr uint32_t kTest = 0xb40001a3;      // cbz x3
  Method method({kPushFour, kNop, kPushTwo, kAddX0, kTest, kPopTwo, kPopFour, kRet, kAddX0, kNop,
                 kPopTwo, kPopFour, kRet},
                -1, 0);
  method.blob.frame_complete = -1;
  method.blob.is_nmethod = false;
  EXPECT_EQ(method.ByLink(0), 0);
  EXPECT_EQ(method.ByLink(1), 32);
  EXPECT_EQ(method.ByLink(3), 48);
  EXPECT_EQ(method.ByLink(4), 48);
  EXPECT_EQ(method.ByLink(5), 48);
  EXPECT_EQ(method.ByLink(6), 32);
  EXPECT_EQ(method.ByLink(7), 0);
  EXPECT_EQ(method.ByLink(8), 48);
  EXPECT_EQ(method.ByLink(11), 32);
}

TEST(FrameShapeAarch64Test, CodeThatHasRemovedAFrameBecauseOfAnExceptionIsDecoded) {
  struct Case {
    std::vector<uint32_t> code;
    int return_slot;
    int words;
  };
  constexpr uint32_t kMoveX1 = 0xaa0003e1;    // mov x1, x0
  constexpr uint32_t kPopOther = 0xa8c133e8;  // ldp x8, x12, [sp], #16
  const Case all[] = {
      {{kMoveX1, 0xa8c17be0}, 1, 2},             // the interpreter: ldp x0, x30, [sp], #16
      {{kPopOther, kMoveX1, 0xa8c17be0}, 3, 4},  // after a call that keeps x8 and x12
      {{kPopOther, kMoveX1, 0xa8c103fe}, 2, 4},  // unwind_exception: ldp x30, x0, [sp], #16
  };
  for (const Case& one : all) {
    std::vector<uint32_t> code = one.code;
    code.resize(16, kNop);
    PendingThrow pending{};
    ASSERT_TRUE(DecodePendingThrow(reinterpret_cast<uint64_t>(code.data()), &pending));
    EXPECT_EQ(pending.return_slot, one.return_slot);
    EXPECT_EQ(pending.fp_slot, -1);
    EXPECT_EQ(pending.words, one.words);
  }
  const std::vector<uint32_t> other(16, kNop);
  PendingThrow pending{};
  EXPECT_FALSE(DecodePendingThrow(reinterpret_cast<uint64_t>(other.data()), &pending));
}

TEST(FrameShapeAarch64Test, TheStubForPollsInLoopsRunsOnThePolledFrame) {
  constexpr uint32_t kEnter = 0x910003fd;        // mov x29, sp
  constexpr uint32_t kLoadPolled = 0xf9421794;   // ldr x20, [x28, #1064]
  constexpr uint32_t kStoreReturn = 0xf90007b4;  // str x20, [x29, #8]
  Method method({kPush, kEnter, kPushTwo, kLoadPolled, kStoreReturn, kNop}, 40, 0);
  method.blob.is_nmethod = false;
  uint64_t stack[] = {1, 2, 0x1234, 3, 4, 5};  // the caller's frame pointer is in word 2
  const auto word = [&](size_t i) { return reinterpret_cast<uint64_t>(stack + i); };
  uint64_t sp = word(4);
  uint64_t fp = 0x1234;
  EXPECT_TRUE(FindPolledFrame(method.blob, method.At(0), &sp, &fp));
  EXPECT_EQ(sp, word(4));
  for (const auto& [at, low] : {std::pair<size_t, size_t>{1, 2}, {2, 2}, {3, 0}, {4, 0}}) {
    sp = word(low);
    fp = at == 1 ? 0x1234 : word(2);
    EXPECT_TRUE(FindPolledFrame(method.blob, method.At(at), &sp, &fp));
    EXPECT_EQ(sp, word(4));
    EXPECT_EQ(fp, 0x1234U);
  }
  EXPECT_FALSE(FindPolledFrame(method.blob, method.At(5), &sp, &fp));
}

TEST(PushedWordsAarch64Test, WordsBelowAFrameAreCountedByTheCodeThatPopsThem) {
  const Method method({kPushTwo, kCall, kPopTwo, kAddX0, kRestoreAt48, kRaise64, kRet}, 8, 0);
  EXPECT_EQ(LoweredWords(method.blob, method.At(0)), 0);
  EXPECT_EQ(LoweredWords(method.blob, method.At(1)), 2);
  EXPECT_EQ(LoweredWords(method.blob, method.At(2)), 2);
  EXPECT_EQ(LoweredWords(method.blob, method.At(3)), 0);
  EXPECT_EQ(PushedForCall(method.At(2)), 2);
  EXPECT_EQ(PushedForCall(method.At(3)), 0);
  const Method large({kPushTwo, kCall, kPopTwo, kRaise1024, kPop, kRet}, 130, 0);
  EXPECT_EQ(LoweredWords(large.blob, large.At(1)), 2);
  EXPECT_EQ(LoweredWords(large.blob, large.At(3)), 0);
  EXPECT_EQ(PushedForCall(large.At(2)), 2);
}

}  // namespace
}  // namespace jprof::test
