// Queue: the stacks that handlers of one thread, the owner, have enqueued, and that a helper thread
// processes later.
//
// A queue has two buffers. The owner's handlers fill the active one. The helper makes the other one
// active, waits until no handler of the owner is inside, and then has the first one for itself:
//
//   the owner, in a handler                    the helper
//   inside = 1                   (seq_cst)     active = the other buffer     (seq_cst)
//   uses the buffer `active`     (seq_cst)     waits until inside == 0       (seq_cst)
//   inside = 0                   (release)     uses the first buffer
//
// In the total order of these operations, either the owner sees the new `active`, or the helper sees
// inside == 1 and waits until the owner has left. The state works in the same way: the helper stores
// kClosing and waits until inside == 0, and the owner loads the state inside.
//
// The owner can also keep the address of an element, and change its argument after the buffer has
// been taken: the helper counts such changes before it uses the buffer again.
//
// The memory of queues is never freed, so that a wrong pointer can be told from a queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/asgst/stack_iterator.h"

namespace jprof::asgst {

// The part of an element that users see (ASGST_QueueElement): the registers of the first frame with
// bytecodes.
struct QueueElement {
  uint64_t pc;
  uint64_t fp;
  uint64_t sp;
  void* arg;
};

struct StoredStack {
  QueueElement top;
  uint64_t first_frame;  // index in QueueBuffer::frames
  uint32_t frame_count;
  int32_t kind;
  int32_t last;    // the result of the walk after the last frame
  void* seen_arg;  // the argument with which the handler was called
};

struct QueueBuffer {
  StoredStack* elements = nullptr;
  WalkedFrame* frames = nullptr;
  uint32_t capacity = 0;
  uint64_t frame_capacity = 0;
  // Written by the owner (release) while the buffer is active, else by the helper.
  std::atomic<uint32_t> size{0};
  uint64_t used_frames = 0;
  uint32_t attempts = 0;
};

class Queue {
 public:
  enum State : uint32_t { kFree, kOpen, kClosing };

  // The owner's use of the active buffer. Async-signal-safe.
  class OwnerScope {
   public:
    // `result()` is kMore, or the reason why the queue cannot be used: kNoQueue; or kOtherQueueError
    // if the calling thread is not the owner, or is inside already, in a handler that the calling
    // one has interrupted. `ucontext` can be that of the owner while the owner waits: then another
    // thread acts for the owner. REQUIRES: if `ucontext` is not nullptr, the faults of guarded loads
    // are caught.
    OwnerScope(Queue* queue, const ApiState& state, const ucontext_t* ucontext = nullptr);
    ~OwnerScope();
    OwnerScope(const OwnerScope&) = delete;
    OwnerScope& operator=(const OwnerScope&) = delete;

    int32_t result() const { return result_; }
    // REQUIRES: result() == kMore.
    QueueBuffer& buffer() const { return *buffer_; }
    // Returns the options of a walk of the owner.
    int32_t options() const { return queue_->options | (is_owner_ ? 0 : kOfWaitingThreads); }

   private:
    Queue* const queue_;
    QueueBuffer* buffer_ = nullptr;
    bool is_owner_ = true;
    int32_t result_;
  };

  // The functions of the owner. Async-signal-safe. REQUIRES: the scope's result is kMore.

  // Walks the interrupted thread, and adds its stack. Returns the kind of the stack or an error.
  int32_t Enqueue(const OwnerScope& owner, const WalkSession& session, const ucontext_t* ucontext,
                  void* arg);

  // Adds the interrupted registers, for a walk at a later moment. Returns kApproximateTrace or an
  // error.
  int32_t EnqueueRegisters(QueueBuffer& buffer, const ucontext_t* ucontext, void* arg);

  // Returns the youngest element if it has the interrupted registers; nullptr if not.
  static QueueElement* FindRegisters(QueueBuffer& buffer, const ucontext_t* ucontext);

  // Walks the interrupted thread. Returns the youngest element if all its frames are those of the
  // walk; nullptr if not, or if there is no element.
  QueueElement* FindEqual(QueueBuffer& buffer, const WalkSession& session,
                          const ucontext_t* ucontext) const;

  // Returns the element `n`: 0 is the oldest one, -1 the youngest; nullptr if there is none.
  static QueueElement* ElementAt(QueueBuffer& buffer, int32_t n);

  // True if the stacks of the elements are walked later.
  bool is_approximate() const { return (options & kApproximate) != 0; }

  // True if no handler of the owner uses the buffer that was active before the last change of
  // `active` or `state`. Called by the helper.
  bool OwnerHasLeft() const { return inside.load(std::memory_order_seq_cst) == 0; }

  std::atomic<uint32_t> state{kFree};
  // Set before the state becomes kOpen (release, acquire).
  uint64_t java_thread = 0;  // the owner
  int32_t options = 0;       // of its walks
  QueueBuffer buffers[2];
  std::atomic<uint32_t> active{0};
  std::atomic<uint32_t> inside{0};
  std::atomic<int32_t> requested_capacity{0};
  // Numbers of elements since the registration. relaxed.
  std::atomic<uint64_t> enqueued{0};
  std::atomic<uint64_t> refused{0};  // the queue was full
  std::atomic<uint64_t> failed{0};   // the stack could not be walked, or the owner was inside
  std::atomic<uint64_t> processed{0};
  std::atomic<uint64_t> late_changes{0};  // arguments that were changed too late
};

// True if `pointer` is a queue that is registered with kApproximate.
bool IsApproximate(const void* pointer);

// The maximum number of queues, and of the elements of a queue.
inline constexpr size_t kMaxQueues = 4096;
inline constexpr int32_t kMaxCapacity = 1 << 20;

// Returns the queue with the index. REQUIRES: index < kMaxQueues.
Queue& QueueAt(size_t index);

// Returns the index of the queue at `pointer`; kMaxQueues if no queue can be there.
size_t IndexOfQueue(const void* pointer);

// Sets *element to the registers of the first frame with bytecodes. Returns the kind of the stack
// or an error. Async-signal-safe.
int32_t TopOf(const WalkSession& session, const ucontext_t* ucontext, QueueElement* element);

}  // namespace jprof::asgst
