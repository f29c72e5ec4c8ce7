// StackIterator: one walk of the calling thread, frame by frame, for a user of the stack walking
// API. Walks can start at a signal, at the caller's anchor, or at a given frame; or an iterator
// steps over frames that were stored before.
//
// WalkSession: a StackIterator, its memory and the right to walk (WalkScope).
//
// Async-signal-safe.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sigsafe/asgst/api_state.h"
#include "sigsafe/os/signal_mask.h"
#include "sigsafe/stack/native_frames.h"
#include "sigsafe/stack/vm_cursor.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof::asgst {

// A frame as the users of the API get it. The values are those of ASGST_Frame
// (include/profiler/asgst.h).
struct WalkedFrame {
  uint8_t type;
  int32_t comp_level;
  int32_t bci;
  uint64_t method;  // id of the method; 0 if unknown
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
};

inline constexpr uint8_t kJavaFrame = 1;
inline constexpr uint8_t kInlinedFrame = 2;
inline constexpr uint8_t kJavaNativeFrame = 3;
inline constexpr uint8_t kNonJavaFrame = 4;

// The options of a walk, as bits.
inline constexpr int32_t kWithNonJava = 1;
inline constexpr int32_t kEndAtFirstJava = 2;
// A thread that is not a Java thread is walked. Users of asgst.h get this with kWithNonJava.
inline constexpr int32_t kWithOtherThreads = 4;
// Registers can be those of another Java thread, which waits.
inline constexpr int32_t kOfWaitingThreads = 8;
inline constexpr int32_t kAllOptions = kWithNonJava | kEndAtFirstJava;
// An option of a queue: its elements are walked later.
inline constexpr int32_t kApproximate = 0x10000;

// The results of the functions of the API (ASGST_Error and ASGST_TRACE_KIND).
inline constexpr int32_t kApproximateTrace = 0x10000;
inline constexpr int32_t kNonJavaTrace = 2;
inline constexpr int32_t kJavaTrace = 1;
inline constexpr int32_t kMore = 1;
inline constexpr int32_t kAtEnd = 0;
inline constexpr int32_t kNoThread = -1;
inline constexpr int32_t kThreadExit = -2;
inline constexpr int32_t kUnsafeState = -3;
inline constexpr int32_t kNoTopJavaFrame = -4;
inline constexpr int32_t kNoQueue = -5;
inline constexpr int32_t kFullQueue = -6;
inline constexpr int32_t kOtherQueueError = -7;
inline constexpr int32_t kNotStarted = -17;
inline constexpr int32_t kWrongArgument = -18;
inline constexpr int32_t kWrongIterator = -19;
inline constexpr int32_t kBrokenStack = -20;
inline constexpr int32_t kMissingFrames = -21;
inline constexpr int32_t kTooManyWalks = -22;
inline constexpr int32_t kForkedProcess = -23;
inline constexpr int32_t kNoAnswer = -24;
inline constexpr int32_t kUnknownMethod = -25;

// A stack that was walked before.
struct StoredFrames {
  const WalkedFrame* frames;
  size_t count;
  int32_t kind;
  int32_t last;  // the result after the last frame
};

class StackIterator {
 public:
  // Each begins a walk and steps to its first frame. Returns the kind of the stack, or the reason
  // why there is no first frame. `state`, `environment` and *ucontext outlive the walk. REQUIRES:
  // environment.vm is set, the faults of guarded loads are caught and their signals not blocked.
  int32_t BeginAtSignal(const ApiState& state, const WalkEnvironment& environment,
                        const ucontext_t* ucontext, int32_t options);
  int32_t BeginAtAnchor(const ApiState& state, const WalkEnvironment& environment, int32_t options);
  int32_t BeginAtFrame(const ApiState& state, const WalkEnvironment& environment,
                       const StackPosition& position, int32_t options);

  // Begins to step over stored frames. The frames outlive the use of the iterator.
  void BeginStored(const StoredFrames& stack);

  // Steps to the next frame. Returns kMore and sets *frame, or sets *frame to {} and returns kAtEnd
  // or an error. With kEndAtFirstJava, kAtEnd can come with a frame.
  int32_t Next(WalkedFrame* frame);

  // Starts again at the first frame.
  void Rewind();

  // Returns kMore, or the last result of Next.
  int32_t state() const { return result_; }

  // Returns the kind of the stack.
  int32_t kind() const { return kind_; }

  // Returns the address of the Method of the last frame; 0 if there is none, or the frames are
  // stored.
  uint64_t method() const { return method_; }

 private:
  enum class Source : uint8_t { kNone, kJava, kNative, kStored };

  int32_t BeginOther(const ApiState& state, const WalkEnvironment& environment,
                     const ucontext_t* ucontext, int32_t options);
  int32_t BeginJava(const ApiState& state, const WalkEnvironment& environment,
                    const WalkStart& start, int32_t options);
  int32_t BeginNative(const ApiState& state, const WalkEnvironment& environment,
                      const ucontext_t* ucontext, int32_t options);
  int32_t PeekFirst(int32_t kind);
  void Restart();
  int32_t Advance(WalkedFrame* frame);
  int32_t NextOfJava(WalkedFrame* frame);
  int32_t NextOfNative(WalkedFrame* frame);
  int32_t NextStored(WalkedFrame* frame);
  // Returns the registers of the frame; sp and fp are 0 if they are not on the thread's stack.
  WalkedFrame At(const StackPosition& position, uint8_t type) const;
  WalkedFrame JavaFrameOf(const Frame& frame) const;

  Source source_ = Source::kNone;
  int32_t options_ = 0;
  int32_t kind_ = 0;
  int32_t result_ = kAtEnd;
  uint64_t method_ = 0;
  // True if `first_` is the next frame, with the result `first_result_`.
  bool has_first_ = false;
  int32_t first_result_ = kAtEnd;
  WalkedFrame first_{};
  uint64_t first_method_ = 0;

  const ApiState* api_ = nullptr;
  const ucontext_t* ucontext_ = nullptr;
  // The registers of another thread. Its own copy vanishes if the thread does not wait after all.
  ucontext_t copied_;
  std::optional<WalkContext> context_;
  std::optional<WalkStart> start_;
  std::optional<VmCursor> cursor_;
  std::optional<NativeFrames> native_;

  StoredFrames stored_{};
  size_t stored_next_ = 0;
};

// An iterator in the memory of the API. Users get its address, so that the functions can tell a
// valid iterator from another pointer.
struct IteratorCell {
  // RunningThread() of the thread whose callback runs; nullptr if no callback runs. relaxed: a
  // thread compares the word with its own value, which only the thread itself has stored.
  std::atomic<const void*> owner{nullptr};
  StackIterator iterator;
};

// Claims a cell for the calling thread. Returns nullptr if all cells are taken.
IteratorCell* ClaimIterator();
void ReleaseIterator(IteratorCell* cell);

// Returns the cell at `pointer`, if it is one whose callback runs on the calling thread; nullptr
// else.
IteratorCell* FindIterator(const void* pointer);

// The scope of one walk of the calling thread.
class WalkSession {
 public:
  WalkSession();
  ~WalkSession();
  WalkSession(const WalkSession&) = delete;
  WalkSession& operator=(const WalkSession&) = delete;

  // Returns kMore, or the reason why no walk is possible.
  int32_t result() const { return result_; }

  // The following are only for a session whose result is kMore.
  const ApiState& state() const { return *state_; }
  const WalkEnvironment& environment() const { return scope_.environment(); }
  IteratorCell* cell() const { return cell_; }
  StackIterator& iterator() const { return cell_->iterator; }

 private:
  int32_t Prepare();

  const ApiState* state_ = nullptr;
  IteratorCell* cell_ = nullptr;
  std::optional<OpenFaultSignalsScope> open_;
  WalkScope scope_;
  int32_t result_;
};

}  // namespace jprof::asgst
