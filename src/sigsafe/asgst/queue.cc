#include "sigsafe/asgst/queue.h"

#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/registers.h"

namespace jprof::asgst {
namespace {

constinit Queue g_queues[kMaxQueues];

bool AreEqual(const WalkedFrame& one, const WalkedFrame& other) {
  return one.type == other.type && one.comp_level == other.comp_level && one.bci == other.bci &&
         one.method == other.method && one.pc == other.pc && one.sp == other.sp &&
         one.fp == other.fp;
}

int32_t Begin(const WalkSession& session, const ucontext_t* ucontext, int32_t options) {
  StackIterator& iterator = session.iterator();
  if (ucontext == nullptr) {
    return iterator.BeginAtAnchor(session.state(), session.environment(), options);
  }
  return iterator.BeginAtSignal(session.state(), session.environment(), ucontext, options);
}

// Returns the registers of the first frame with bytecodes, or else of the first frame.
QueueElement TopOfFrames(const WalkedFrame* frames, uint32_t count, void* arg) {
  uint32_t top = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (frames[i].type != kJavaFrame && frames[i].type != kInlinedFrame) continue;
    top = i;
    break;
  }
  return count == 0 ? QueueElement{0, 0, 0, arg}
                    : QueueElement{frames[top].pc, frames[top].fp, frames[top].sp, arg};
}

// Returns the interrupted registers; zeros if `ucontext` is nullptr.
QueueElement RegistersOf(const ucontext_t* ucontext, void* arg) {
  if (ucontext == nullptr) return {0, 0, 0, arg};
  return {Value(ProgramCounter(ucontext)), FramePointer(ucontext), StackPointer(ucontext), arg};
}

}  // namespace

Queue& QueueAt(size_t index) { return g_queues[index]; }

size_t IndexOfQueue(const void* pointer) {
  const auto offset = reinterpret_cast<uint64_t>(pointer) - reinterpret_cast<uint64_t>(g_queues);
  return offset < sizeof g_queues && offset % sizeof(Queue) == 0 ? offset / sizeof(Queue)
                                                                 : kMaxQueues;
}

// acquire: pairs with the registration.
bool IsApproximate(const void* pointer) {
  const size_t index = IndexOfQueue(pointer);
  return index != kMaxQueues &&
         g_queues[index].state.load(std::memory_order_acquire) == Queue::kOpen &&
         g_queues[index].is_approximate();
}

Queue::OwnerScope::OwnerScope(Queue* queue, const ApiState& state, const ucontext_t* ucontext)
    : queue_(IndexOfQueue(queue) == kMaxQueues ? nullptr : queue), result_(kNoQueue) {
  // acquire: pairs with the registration. The thread is compared before it is marked as inside,
  // because only the owner may do that.
  if (queue_ == nullptr || queue_->state.load(std::memory_order_acquire) != kOpen) return;
  result_ = kOtherQueueError;
  is_owner_ = RunningVmThread(state) == queue_->java_thread;
  StackBounds stack;
  if (!is_owner_ &&
      (ucontext == nullptr || !LoadStackBounds(*state.vm, queue_->java_thread, &stack) ||
       !stack.Contains(StackPointer(ucontext)))) {
    return;
  }
  if (queue_->inside.exchange(1, std::memory_order_seq_cst) != 0) return;
  if (queue_->state.load(std::memory_order_seq_cst) != kOpen) {
    queue_->inside.store(0, std::memory_order_release);
    result_ = kNoQueue;
    return;
  }
  buffer_ = &queue_->buffers[queue_->active.load(std::memory_order_seq_cst)];
  result_ = kMore;
}

Queue::OwnerScope::~OwnerScope() {
  if (result_ == kMore) queue_->inside.store(0, std::memory_order_release);
}

int32_t Queue::Enqueue(const OwnerScope& owner, const WalkSession& session,
                       const ucontext_t* ucontext, void* arg) {
  QueueBuffer& buffer = owner.buffer();
  ++buffer.attempts;
  const uint32_t size = buffer.size.load(std::memory_order_relaxed);
  if (size == buffer.capacity || buffer.used_frames == buffer.frame_capacity) {
    refused.fetch_add(1, std::memory_order_relaxed);
    return kFullQueue;
  }
  const int32_t kind = Begin(session, ucontext, owner.options());
  if (kind <= 0) {
    failed.fetch_add(1, std::memory_order_relaxed);
    return kind;
  }
  StackIterator& iterator = session.iterator();
  const uint64_t room = buffer.frame_capacity - buffer.used_frames;
  WalkedFrame* const frames = buffer.frames + buffer.used_frames;
  uint32_t count = 0;
  int32_t last = kMore;
  while (count < room && (last = iterator.Next(&frames[count])) == kMore) ++count;
  if (last == kMore) {
    refused.fetch_add(1, std::memory_order_relaxed);
    return kFullQueue;
  }
  buffer.elements[size] = {
      TopOfFrames(frames, count, arg), buffer.used_frames, count, kind, last, arg};
  buffer.used_frames += count;
  enqueued.fetch_add(1, std::memory_order_relaxed);
  buffer.size.store(size + 1, std::memory_order_release);
  return kind;
}

int32_t Queue::EnqueueRegisters(QueueBuffer& buffer, const ucontext_t* ucontext, void* arg) {
  ++buffer.attempts;
  const uint32_t size = buffer.size.load(std::memory_order_relaxed);
  if (size == buffer.capacity) {
    refused.fetch_add(1, std::memory_order_relaxed);
    return kFullQueue;
  }
  buffer.elements[size].top = RegistersOf(ucontext, arg);
  enqueued.fetch_add(1, std::memory_order_relaxed);
  buffer.size.store(size + 1, std::memory_order_release);
  return kApproximateTrace;
}

QueueElement* Queue::FindRegisters(QueueBuffer& buffer, const ucontext_t* ucontext) {
  const uint32_t size = buffer.size.load(std::memory_order_relaxed);
  if (size == 0) return nullptr;
  QueueElement& youngest = buffer.elements[size - 1].top;
  const QueueElement own = RegistersOf(ucontext, nullptr);
  const bool is_same = own.pc == youngest.pc && own.fp == youngest.fp && own.sp == youngest.sp;
  return is_same ? &youngest : nullptr;
}

QueueElement* Queue::FindEqual(QueueBuffer& buffer, const WalkSession& session,
                               const ucontext_t* ucontext) const {
  const uint32_t size = buffer.size.load(std::memory_order_relaxed);
  if (size == 0 || Begin(session, ucontext, options) <= 0) return nullptr;
  StoredStack& youngest = buffer.elements[size - 1];
  const WalkedFrame* const frames = buffer.frames + youngest.first_frame;
  WalkedFrame walked;
  for (uint32_t i = 0; i < youngest.frame_count; ++i) {
    if (session.iterator().Next(&walked) != kMore || !AreEqual(walked, frames[i])) return nullptr;
  }
  return session.iterator().Next(&walked) == youngest.last ? &youngest.top : nullptr;
}

QueueElement* Queue::ElementAt(QueueBuffer& buffer, int32_t n) {
  const auto size = static_cast<int64_t>(buffer.size.load(std::memory_order_relaxed));
  const int64_t index = n < 0 ? size + n : n;
  return index >= 0 && index < size ? &buffer.elements[index].top : nullptr;
}

int32_t TopOf(const WalkSession& session, const ucontext_t* ucontext, QueueElement* element) {
  const int32_t kind = Begin(session, ucontext, kEndAtFirstJava);
  if (kind <= 0) return kind;
  WalkedFrame frame;
  int32_t result = kMore;
  while ((result = session.iterator().Next(&frame)) == kMore) {
  }
  if (result < 0) return result;
  if (frame.type == 0) return kNoTopJavaFrame;
  *element = {frame.pc, frame.fp, frame.sp, nullptr};
  return kind;
}

}  // namespace jprof::asgst
