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
    vm_.Stack(103) = vm_.AddStub("StubRoutines (continuation stubs)", 0, Code({}));
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

  uint64_t caller_;
  uint64_t native_;
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

}  // namespace
}  // namespace jprof::test
