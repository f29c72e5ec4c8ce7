#include "asgst/queue_service.h"

#include <algorithm>
#include <utility>

#include "asgst/own_faults.h"
#include "asgst/stored_iterator.h"
#include "asgst/thread_walks.h"
#include "base/log.h"
#include "os/native_thread.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/raw_syscall.h"
#include "sigsafe/os/thread_id.h"

namespace jprof::asgst {
namespace {

// The time between two looks at the queues, and the one while there are queues whose elements are
// walked later.
constexpr Nanos kBetweenLooks = 20'000'000;
constexpr Nanos kBetweenEarlyLooks = 1'000'000;
// The time between two searches for threads that have ended.
constexpr Nanos kBetweenSearches = kNanosPerSecond;
// How long a helper waits for a handler of the owner before it goes on to other queues.
constexpr Nanos kPatienceWithOwner = 10'000'000;
constexpr uint64_t kFramesEach = 64;
constexpr uint64_t kFewestFrames = 8192;

// The queue whose handlers the calling helper runs.
thread_local const void* t_processed = nullptr;

StoredIterator IteratorOf(const QueueBuffer& buffer, const StoredStack& stack) {
  return StoredIterator(
      {buffer.frames + stack.first_frame, stack.frame_count, stack.kind, stack.last});
}

void CallProcessing(const QueueService::Processing& processing, Queue& queue,
                    const QueueBuffer& buffer) {
  if (processing.handler == nullptr) return;
  if (!processing.offers_iterator) {
    processing.handler(reinterpret_cast<ASGST_Queue*>(&queue), nullptr, processing.argument);
    return;
  }
  const uint32_t size = buffer.size.load(std::memory_order_acquire);
  const StoredIterator youngest = IteratorOf(buffer, buffer.elements[size - 1]);
  processing.handler(reinterpret_cast<ASGST_Queue*>(&queue), youngest.get(), processing.argument);
}

}  // namespace

QueueService& QueueService::OfProcess() {
  static auto* const service = new QueueService;
  return *service;
}

Queue* QueueService::Register(const Owner& owner, int32_t capacity, int32_t options,
                              ASGST_Handler handler, void* argument) {
  const std::lock_guard lock(mutex_);
  size_t index = 0;
  while (index < limit_ && rows_[index].is_used) ++index;
  if (index == kMaxQueues) return nullptr;
  Row& row = rows_[index];
  Queue& queue = QueueAt(index);
  queue.options = options;
  if (!Reserve(row, queue, 0, capacity) || !Reserve(row, queue, 1, capacity) ||
      (helpers_ == 0 && !StartHelper())) {
    row.memory[0].reset();
    row.memory[1].reset();
    return nullptr;
  }
  limit_ = std::max(limit_, index + 1);
  ++used_;
  if (queue.is_approximate()) ++approximate_;
  row.is_used = true;
  row.is_closing = false;
  row.is_draining = false;
  row.tid = owner.tid;
  row.handler = handler;
  row.argument = argument;
  row.before = {};
  row.after = {};
  for (auto* count :
       {&queue.enqueued, &queue.refused, &queue.failed, &queue.processed, &queue.late_changes}) {
    count->store(0, std::memory_order_relaxed);
  }
  queue.java_thread = owner.java_thread;
  queue.active.store(0, std::memory_order_relaxed);
  queue.requested_capacity.store(capacity, std::memory_order_relaxed);
  queue.state.store(Queue::kOpen, std::memory_order_release);
  return &queue;
}

bool QueueService::Deregister(const void* queue) {
  const size_t index = IndexOfQueue(queue);
  if (index == kMaxQueues) return false;
  uint64_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    Row& row = rows_[index];
    if (!row.is_used || row.is_closing) return false;
    row.is_closing = true;
    QueueAt(index).state.store(Queue::kClosing, std::memory_order_seq_cst);
    generation = row.generation;
  }
  if (t_processed == queue) return true;
  constexpr Nanos kPause = 1'000'000;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (rows_[index].generation != generation) return true;
    }
    RawSleep(kPause);
  }
}

bool QueueService::SetProcessing(const void* queue, bool at_end, const Processing& processing) {
  const size_t index = IndexOfQueue(queue);
  if (index == kMaxQueues) return false;
  const std::lock_guard lock(mutex_);
  Row& row = rows_[index];
  if (!row.is_used || row.is_closing) return false;
  (at_end ? row.after : row.before) = processing;
  return true;
}

// REQUIRES: mutex_ is held.
bool QueueService::StartHelper() {
  Result<NativeThread> thread = NativeThread::Start("jprof-queues", [this] { Help(); });
  if (!thread) {
    Log::Warn("queued stacks are not processed: %s", thread.error().message().c_str());
    return false;
  }
  thread.value().Detach();
  ++helpers_;
  ++idle_;
  return true;
}

void QueueService::Help() {
  constexpr int kMostIdleLooks = 50;
  OpenFaults();
  int idle_looks = 0;
  std::unique_lock lock(mutex_);
  while (used_ > 0 && (idle_ == 1 || idle_looks < kMostIdleLooks)) {
    const std::optional<Task> task = TakeReady();
    if (!task) {
      ++idle_looks;
      const Nanos pause = approximate_ > 0 ? kBetweenEarlyLooks : kBetweenLooks;
      lock.unlock();
      RawSleep(pause);
      lock.lock();
      continue;
    }
    idle_looks = 0;
    if (--idle_ == 0 && helpers_ < kMaxHelpers) static_cast<void>(StartHelper());
    lock.unlock();
    const bool is_over = Process(*task);
    lock.lock();
    ++idle_;
    rows_[task->index].is_busy = false;
    if (is_over) Free(task->index);
  }
  --helpers_;
  --idle_;
}

// REQUIRES: mutex_ is held.
std::optional<QueueService::Task> QueueService::TakeReady() {
  if (const Nanos now_ns = MonotonicNanos(); now_ns - looked_ns_ >= kBetweenSearches) {
    looked_ns_ = now_ns;
    CloseEnded();
  }
  for (size_t i = 0; i < limit_; ++i) {
    const size_t index = (next_ + i) % limit_;
    if (!IsReady(index)) continue;
    next_ = index + 1;
    Row& row = rows_[index];
    row.is_busy = true;
    return Task{index, row.tid, row.handler, row.argument, row.before, row.after, row.is_closing};
  }
  return std::nullopt;
}

// Begins to close the queues whose threads have ended. REQUIRES: mutex_ is held.
void QueueService::CloseEnded() {
  for (size_t i = 0; i < limit_; ++i) {
    Row& row = rows_[i];
    if (!row.is_used || row.is_closing || TaskExists(row.tid)) continue;
    row.is_closing = true;
    QueueAt(i).state.store(Queue::kClosing, std::memory_order_seq_cst);
  }
}

// REQUIRES: mutex_ is held.
bool QueueService::IsReady(size_t index) const {
  const Row& row = rows_[index];
  if (!row.is_used || row.is_busy) return false;
  const Queue& queue = QueueAt(index);
  const QueueBuffer& active = queue.buffers[queue.active.load(std::memory_order_relaxed)];
  return row.is_closing || row.is_draining || active.size.load(std::memory_order_relaxed) > 0 ||
         static_cast<int64_t>(active.capacity) !=
             queue.requested_capacity.load(std::memory_order_relaxed);
}

bool QueueService::Process(const Task& task) {
  Row& row = rows_[task.index];
  Queue& queue = QueueAt(task.index);
  if (!row.is_draining && !Flip(row, queue)) return false;
  if (!AwaitOwner(queue)) return false;
  row.is_draining = false;
  CallHandlers(task, queue, queue.buffers[row.drained]);
  // When the queue is closing, the owner stays away. So after one more flip both buffers are done.
  if (!task.is_closing) return false;
  if (!Flip(row, queue)) return false;
  row.is_draining = false;
  CallHandlers(task, queue, queue.buffers[row.drained]);
  return true;
}

// Makes the other buffer active.
bool QueueService::Flip(Row& row, Queue& queue) {
  const uint32_t active = queue.active.load(std::memory_order_relaxed);
  if (!Prepare(row, queue, 1 - active)) return false;
  queue.active.store(1 - active, std::memory_order_seq_cst);
  row.drained = active;
  row.is_draining = true;
  return true;
}

bool QueueService::AwaitOwner(const Queue& queue) {
  constexpr Nanos kPause = 100'000;
  for (Nanos waited_ns = 0; !queue.OwnerHasLeft(); waited_ns += kPause) {
    if (waited_ns >= kPatienceWithOwner) return false;
    RawSleep(kPause);
  }
  return true;
}

// Asks the owner for its stack, which becomes that of all elements.
void QueueService::WalkLater(Tid tid, const Queue& queue, QueueBuffer& buffer) {
  uint32_t count = 0;
  int32_t last = kAtEnd;
  const auto keep = [&](const ThreadRequests::Answer& answer) {
    count = static_cast<uint32_t>(std::min<uint64_t>(answer.count, buffer.frame_capacity));
    std::copy_n(answer.frames, count, buffer.frames);
    last = answer.last;
  };
  const int32_t result = TheApiState() == nullptr ? kNotStarted
                                                  : ThreadWalks::OfProcess().Ask(
                                                        tid, queue.options & kWithNonJava, keep);
  if (result <= 0) last = result;
  for (uint32_t i = 0; i < buffer.size.load(std::memory_order_relaxed); ++i) {
    StoredStack& stack = buffer.elements[i];
    stack.first_frame = 0;
    stack.frame_count = count;
    stack.kind = kApproximateTrace;
    stack.last = last;
  }
}

void QueueService::CallHandlers(const Task& task, Queue& queue, QueueBuffer& buffer) {
  const uint32_t size = buffer.size.load(std::memory_order_acquire);
  if (size == 0) return;
  if (queue.is_approximate()) WalkLater(task.tid, queue, buffer);
  t_processed = &queue;
  CallProcessing(task.before, queue, buffer);
  for (uint32_t i = 0; i < size; ++i) {
    StoredStack& stack = buffer.elements[i];
    // The owner might change the argument at this moment.
    stack.seen_arg = __atomic_load_n(&stack.top.arg, __ATOMIC_RELAXED);
    const StoredIterator iterator = IteratorOf(buffer, stack);
    task.handler(iterator.get(), task.argument, stack.seen_arg);
    queue.processed.fetch_add(1, std::memory_order_relaxed);
  }
  CallProcessing(task.after, queue, buffer);
  t_processed = nullptr;
}

// Empties a buffer that has been processed, before it becomes active, and gives it the capacity that
// was asked for.
bool QueueService::Prepare(Row& row, Queue& queue, uint32_t buffer) {
  QueueBuffer& spare = queue.buffers[buffer];
  for (uint32_t i = 0; i < spare.size.load(std::memory_order_relaxed); ++i) {
    const StoredStack& stack = spare.elements[i];
    if (__atomic_load_n(&stack.top.arg, __ATOMIC_RELAXED) != stack.seen_arg) {
      queue.late_changes.fetch_add(1, std::memory_order_relaxed);
    }
  }
  spare.size.store(0, std::memory_order_relaxed);
  spare.used_frames = 0;
  spare.attempts = 0;
  const int32_t requested = queue.requested_capacity.load(std::memory_order_relaxed);
  if (requested == static_cast<int64_t>(spare.capacity)) return true;
  if (Reserve(row, queue, buffer, requested)) return true;
  // Without memory the queue keeps its capacity.
  queue.requested_capacity.store(static_cast<int32_t>(spare.capacity), std::memory_order_relaxed);
  return true;
}

// Gives a buffer memory for `capacity` elements. If that fails, the buffer stays as it is. The
// memory that it had stays mapped, because a handler of the owner might still have the address of an
// element in it; but it takes no RAM.
bool QueueService::Reserve(Row& row, Queue& queue, uint32_t buffer, int32_t capacity) {
  const auto elements = static_cast<uint64_t>(capacity);
  const uint64_t frames = queue.is_approximate() ? ThreadRequests::kMaxFrames
                                                 : std::max(elements * kFramesEach, kFewestFrames);
  Result<Pages> pages =
      Pages::Reserve(elements * sizeof(StoredStack) + frames * sizeof(WalkedFrame));
  if (!pages) {
    Log::Warn("a queue gets no memory: %s", pages.error().message().c_str());
    return false;
  }
  QueueBuffer& to = queue.buffers[buffer];
  to.elements = static_cast<StoredStack*>(pages.value().region().data);
  to.frames = reinterpret_cast<WalkedFrame*>(to.elements + elements);
  to.capacity = static_cast<uint32_t>(capacity);
  to.frame_capacity = frames;
  to.size.store(0, std::memory_order_relaxed);
  to.used_frames = 0;
  to.attempts = 0;
  if (row.memory[buffer]) {
    row.memory[buffer]->Discard(row.memory[buffer]->region().size);
    row.retired.push_back(std::move(*row.memory[buffer]));
    row.memory[buffer].reset();
  }
  row.memory[buffer].emplace(std::move(pages).value());
  return true;
}

// REQUIRES: mutex_ is held; the owner has left.
void QueueService::Free(size_t index) {
  Row& row = rows_[index];
  Queue& queue = QueueAt(index);
  queue.state.store(Queue::kFree, std::memory_order_release);
  for (uint32_t i = 0; i < 2; ++i) {
    row.memory[i].reset();
    queue.buffers[i].elements = nullptr;
    queue.buffers[i].frames = nullptr;
    queue.buffers[i].capacity = 0;
  }
  row.retired.clear();
  row.is_used = false;
  ++row.generation;
  --used_;
  if (queue.is_approximate()) --approximate_;
}

}  // namespace jprof::asgst
