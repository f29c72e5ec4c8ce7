// The part of VmCursor that walks frames in the heap: those of a virtual thread that are not on the
// stack of its carrier.
#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/stack/vm_cursor.h"
#include "sigsafe/stack/vm_steps.h"

namespace jprof {
namespace {

// The maximum number of nested continuations that are followed: more than programs have.
constexpr int kMaxEntries = 64;
// The maximum number of words that the code at a return barrier pushes before it makes room: the
// returned values, and one word for alignment (jdk-25+36
// src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_cont_thaw).
constexpr int kMaxPushedAtBarrier = 4;

}  // namespace

// Notes that the frames of the walk are in the heap from here on. Returns false if the continuation
// cannot be found.
bool VmCursor::BeginHeap() {
  int64_t entry = 0;
  if (!context_.vm.thread_continuation.exists() ||
      !context_.vm.thread_continuation.Load(context_.java_thread, &entry)) {
    return false;
  }
  barrier_ = position_;
  saw_java_ = true;  // so that the next entry is that of the mount, even if no frame is found
  is_in_heap_ = true;
  continuation_entry_ = static_cast<uint64_t>(entry);
  chunks_left_ = kMaxChunks;
  // Finds, among the nested continuations, the one whose frames on the stack end here.
  int entries_left = kMaxEntries;
  while (continuation_entry_ < barrier_.sp && continuation_entry_ != 0 && entries_left-- > 0) {
    continuation_entry_ = ParentOf(continuation_entry_);
  }
  return true;
}

// True if references to chunks can be followed from the continuation. If references have colours,
// the chunks are found through the virtual thread, which refers only to its own continuation.
bool VmCursor::HasChunks() const {
  return context_.vm.mounted.references.bad_colours == nullptr ||
         IsVirtualThreadEntry(continuation_entry_) || ParentOf(continuation_entry_) == 0;
}

bool VmCursor::FindChunk() {
  return HasChunks() &&
         FindChunkStack(context_.vm, context_.java_thread, continuation_entry_, &chunk_);
}

// Steps from the return barrier to the frames in the heap. The carrier's frames come after them.
VmCursor::Progress VmCursor::EnterHeap() {
  if (!BeginHeap()) return Broken(WalkOutcome::kHeapFrames);
  return FindChunk() ? EnterChunk() : HeapBroken();
}

// Steps from the code at a return barrier to the frames in the heap. This code makes room for some
// of them on the stack, and then calls the VM, which removes them from the chunk and copies them.
VmCursor::Progress VmCursor::InReturnBarrier() {
  if (!BeginHeap()) return Broken(WalkOutcome::kHeapFrames);
  const bool has_room = position_.sp < Slot(continuation_entry_, -kMaxPushedAtBarrier);
  if (has_room && HasChunks() && FindThawed()) return EnterChunk();
  if (!FindChunk()) return HeapBroken();
  return has_room ? Yield(OutcomeFrame(WalkOutcome::kHeapFrames), Next::kEnterChunk) : EnterChunk();
}

// Steps to Continuation.enterSpecial from the stub that has the VM copy frames of a virtual thread
// that is being mounted. Between the two are the copies and words of frames that have returned
// (jdk-25+36 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_cont_thaw). The virtual thread
// does not run yet, so its frames are not part of the stack.
bool VmCursor::PastCopying() {
  int64_t entry = 0;
  return context_.vm.thread_continuation.exists() &&
         context_.vm.thread_continuation.Load(context_.java_thread, &entry) &&
         ToMount(context_, static_cast<uint64_t>(entry), &position_);
}

// Finds the frames that are in the chunk, and those that the VM has just removed from it. Returns
// false if it is not sure where the removed frames begin.
bool VmCursor::FindThawed() {
  constexpr int64_t kLeastFrame = 2;     // words
  constexpr int64_t kMostAlignment = 3;  // words, apart from one for each interpreted frame
  ThawedChunk thawed;
  const uint64_t room = (continuation_entry_ - position_.sp) / kWordSize;
  if (!FindThawedChunk(context_.vm, context_.java_thread, continuation_entry_, room, &thawed)) {
    return false;
  }
  chunk_ = thawed.stack;
  if (thawed.removed < kLeastFrame) {
    // If more words are left than the frames take, the VM is just removing some.
    const int interpreted = InterpretedFramesUpTo(chunk_.end);
    const auto words = static_cast<int64_t>((chunk_.end - chunk_.sp) / kWordSize);
    return words > 0 && interpreted >= 0 && thawed.left - words <= interpreted + kMostAlignment;
  }
  for (const int64_t removed : {thawed.removed, thawed.removed - 1}) {
    chunk_.sp = Slot(thawed.stack.sp, -static_cast<int>(removed));
    if (InterpretedFramesUpTo(thawed.stack.sp) >= 0) return true;
  }
  return false;
}

// Returns the number of interpreted frames in the heap from chunk_.sp to `sp`; -1 if no frame ends
// exactly at `sp`.
int VmCursor::InterpretedFramesUpTo(uint64_t sp) const {
  StackPosition frame{0, chunk_.sp, 0, PcMeaning::kReturn};
  if (!GuardedLoad(Slot(frame.sp, -1), &frame.pc) || !IsJavaReturn(context_.vm, frame.pc) ||
      (IsInterpreterCode(context_.vm, frame.pc) && !LoadChunkFramePointer(frame.sp, &frame.fp))) {
    return -1;
  }
  int interpreted = 0;
  while (frame.sp < sp) {
    if (IsInterpreterCode(context_.vm, frame.pc)) ++interpreted;
    if (!ToCallerInChunk(context_, chunk_.end, &frame)) return -1;
  }
  return frame.sp == sp ? interpreted : -1;
}

VmCursor::Progress VmCursor::EnterChunk() {
  if (chunk_.chunk == 0) return PastHeap();
  if (chunks_left_-- == 0) return HeapBroken();
  position_ = {0, chunk_.sp, 0, PcMeaning::kReturn};
  if (!GuardedLoad(Slot(chunk_.sp, -1), &position_.pc)) return HeapBroken();
  if (IsInterpreterCode(context_.vm, position_.pc) &&
      !LoadChunkFramePointer(chunk_.sp, &position_.fp)) {
    return HeapBroken();
  }
  return OnWith(Next::kHeapFrame);
}

VmCursor::Progress VmCursor::InHeapFrame() {
  if (position_.sp >= chunk_.end) {
    return FindNextChunkStack(context_.vm, &chunk_) ? EnterChunk() : HeapBroken();
  }
  if (IsInterpreterCode(context_.vm, position_.pc)) {
    JavaMethod java;
    uint64_t method = 0;
    if (!GuardedLoad(Slot(position_.fp, kMethodSlot), &method) ||
        !LoadJavaMethod(context_.vm, method, &java)) {
      return HeapBroken();
    }
    return Yield(InterpretedFrame(java), Next::kPastHeapFrame, java.address);
  }
  if (!FindCodeBlob(context_.vm, position_.pc, &blob_)) return HeapBroken();
  return blob_.is_nmethod ? EnterScopes(Next::kPastHeapFrame) : OnWith(Next::kPastHeapFrame);
}

VmCursor::Progress VmCursor::PastHeapFrame() {
  if (!ToCallerInChunk(context_, chunk_.end, &position_)) return HeapBroken();
  return OnWith(Next::kHeapFrame);
}

VmCursor::Progress VmCursor::HeapBroken() {
  return Yield(OutcomeFrame(WalkOutcome::kHeapFrames), Next::kPastHeap);
}

VmCursor::Progress VmCursor::PastHeap() {
  position_ = barrier_;
  is_in_heap_ = false;
  return OnIf(ToMount(context_, continuation_entry_, &position_), WalkOutcome::kHeapFrames);
}

// Returns true for a frame in the heap that was on the stack already. So it is while
// Continuation.doYield, a native method, unmounts the thread: the topmost frame in the heap is then
// that of its caller. At all other times the frame below a native method is not the topmost one in
// the heap, because the VM always copies that one to the stack when it mounts the thread (jdk-25+36
// src/hotspot/share/runtime/continuationFreezeThaw.cpp, freeze_fast_copy and thaw_fast).
bool VmCursor::IsCopy(const Frame& frame) {
  if (!has_heap_frame_) {
    has_heap_frame_ = true;
    const bool is_copied = is_native_on_top_ && frames_on_stack_ > 1 && frame.id == second_.id &&
                           frame.bci == second_.bci;
    if (is_copied) copies_left_ = frames_on_stack_ - 1;
  }
  if (copies_left_ == 0) return false;
  --copies_left_;
  return true;
}

}  // namespace jprof
