#include "sigsafe/stack/vm_cursor.h"
#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

// Lays out the stack of a carrier that has mounted a virtual thread: at word 100 the frame of the
// compiled method, which returns to the return barrier; from kContinuation on, the frame of
// enterSpecial, whose caller is the entry frame. Other frames of the virtual thread are in the heap.
class HeapFramesTest : public VmWalkTest {
 protected:
  static constexpr size_t kContinuation = 120;
  static constexpr size_t kFrameWords = 4;
  static constexpr size_t kEntryWords = 8;

  HeapFramesTest() {
    FakeVm::Nmethod caller;
    caller.method = vm_.AddMethod(0xB0, 10);
    caller.frame_complete = 0;
    caller.code[45] = 0xe8;
    caller.places = {{50, {{caller.method, 2}}}};
    caller_ = vm_.AddNmethod(caller);
    FakeVm::Nmethod native;
    native.method = vm_.AddMethod(0xD0, 0);
    native.level = 0;
    native_ = vm_.AddNmethod(native);
    FakeVm::Nmethod enter_special;
    enter_special.method = vm_.AddMethod(0xE0, 10);
    enter_special.level = 0;
    enter_special.frame_size = kEntryWords;
    enter_special.code[45] = 0xe8;
    enter_special.places = {{50, {{enter_special.method, 0}}}};
    const uint64_t mount = vm_.AddNmethod(enter_special) + 50;
    vm_.SetContinuationReturn(mount);
    CalledFromEntry(kContinuation + kEntryWords);
    std::vector<uint8_t> barrier = Code({});
    const uint8_t load[] = {0x49, 0x8b, 0xa7, 0x80, 0, 0, 0};  // mov 128(%r15), %rsp
    std::copy(std::begin(load), std::end(load), barrier.begin() + 64);
    barrier_ = vm_.AddStub("StubRoutines (continuation stubs)", 0, barrier);
    vm_.Stack(103) = barrier_ + 64;
    vm_.Stack(98) = vm_.StackAddress(kEntry);
    vm_.Stack(99) = compiled_ + 50;
  }

  // Makes frames in the heap: one of each method whose code has one of the addresses `returns`.
  void InHeap(const std::vector<uint64_t>& returns) {
    std::vector<uint64_t> words;
    for (size_t i = 1; i <= returns.size(); ++i) {
      words.resize(i * kFrameWords, 0);
      words.back() = i < returns.size() ? returns[i] : 0;
    }
    vm_.MakeChunk(kContinuation, returns[0], words);
  }

  // Walks from the native method, which the compiled method has called.
  std::string WalkFromNative() { return Walk(native_ + 100, 96, vm_.StackAddress(98)); }

  // Walks from the code at the return barrier, after it has loaded the stack pointer. The stack
  // pointer is `words` words below the frame of enterSpecial.
  std::string WalkFromBarrier(size_t words) {
    return Walk(barrier_ + kInBarrier, kContinuation - words, vm_.StackAddress(kEntry));
  }

  static constexpr uint64_t kInBarrier = 100;
  // The words of the room on the stack that are not for frames.
  static constexpr size_t kRoomWithoutFrames = 8;

  uint64_t caller_;
  uint64_t native_;
  uint64_t barrier_;
};

TEST_F(HeapFramesTest, FramesInTheHeapComeAfterThoseOnTheStack) {
  InHeap({caller_ + 50, compiled_ + 50});
  EXPECT_EQ(WalkFromNative(), "wrapper:d0:-1 c2:a0:3 c2:b0:2 c2:a0:3 wrapper:e0:0 root");
}

// While Continuation.doYield unmounts a virtual thread, all its frames are in the heap, and those
// that were mounted still are on the stack.
TEST_F(HeapFramesTest, AFrameThatIsInBothPlacesIsWalkedOnce) {
  InHeap({compiled_ + 50, caller_ + 50, compiled_ + 50});
  EXPECT_EQ(WalkFromNative(), "wrapper:d0:-1 c2:a0:3 c2:b0:2 c2:a0:3 wrapper:e0:0 root");
}

TEST_F(HeapFramesTest, AFrameOfARecursionIsNoCopy) {
  InHeap({compiled_ + 50, caller_ + 50});
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0x1234), "c2:a0:3 c2:a0:3 c2:a0:3 c2:b0:2 wrapper:e0:0 root")
      << "no native method runs";
}

// The frame of the compiled method, which has returned, is still in memory.
TEST_F(HeapFramesTest, FramesThatAreCopiedForAMountAreNotWalked) {
  InHeap({caller_ + 50, compiled_ + 50});
  PutCode(barrier_ + 40, {0xe8, 0, 0, 0, 0});
  WalkStart start{};
  const StackPosition position{barrier_ + 45, vm_.StackAddress(98), vm_.StackAddress(kEntry),
                               PcMeaning::kReturn};
  ASSERT_TRUE(StartAtRegisters(vm_.layout(), vm_.java_thread(), position, &start));
  EXPECT_EQ(WalkFrom(start), "wrapper:e0:0 root");
}

constexpr char kBothFrames[] = "stub c2:b0:2 c2:a0:3 wrapper:e0:0 root";

TEST_F(HeapFramesTest, TheReturnBarrierHasTheFramesInTheHeapAsCallers) {
  InHeap({caller_ + 50, compiled_ + 50});
  EXPECT_EQ(WalkFromBarrier(0), kBothFrames);
  EXPECT_EQ(WalkFromBarrier(2), kBothFrames) << "it has pushed two words";
  EXPECT_EQ(WalkFromBarrier(kRoomWithoutFrames + 2 * kFrameWords), kBothFrames)
      << "it has made room for the frames";
}

TEST_F(HeapFramesTest, FramesThatTheVmCopiesToTheStackAreFoundInTheHeap) {
  for (const int32_t removed : {1 * 4, 2 * 4}) {
    InHeap({caller_ + 50, compiled_ + 50});
    vm_.RemoveFromChunk(removed, 2 * 4 - removed);
    EXPECT_EQ(WalkFromBarrier(kRoomWithoutFrames + 2 * kFrameWords), kBothFrames) << removed;
    EXPECT_EQ(WalkFromBarrier(kRoomWithoutFrames + 2 * kFrameWords + 1), kBothFrames)
        << removed << ", and the room is aligned";
  }
}

TEST_F(HeapFramesTest, FramesThatTheVmIsJustRemovingAreSaidToBeMissing) {
  constexpr char kMarked[] = "stub [frames in the heap] c2:a0:3 wrapper:e0:0 root";
  const size_t room = kRoomWithoutFrames + 2 * kFrameWords;
  InHeap({caller_ + 50, compiled_ + 50});
  vm_.RemoveFromChunk(4, 8);  // the number of words that are left is not lowered yet
  EXPECT_EQ(WalkFromBarrier(room), kMarked);
  vm_.RemoveFromChunk(0, 2);  // no frame has this size
  EXPECT_EQ(WalkFromBarrier(room), kMarked);
  vm_.RemoveFromChunk(4, 0);  // the chunk is empty
  EXPECT_EQ(WalkFromBarrier(room + 4), "stub [frames in the heap] wrapper:e0:0 root");
  until_ = WalkUntil::kMount;
  EXPECT_EQ(WalkFromBarrier(room + 4), "stub [frames in the heap] mount");
}

}  // namespace
}  // namespace jprof::test
