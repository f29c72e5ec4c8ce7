#include "native/asgst_probe/mixed_task.h"

#include <iterator>

namespace jprof::test {
namespace {

constexpr timespec kPause{0, 1'000'000};
constexpr int kQueueSize = 64;

}  // namespace

thread_local MixedTask::Slot* MixedTask::t_slot = nullptr;

void MixedTask::OnStack(ASGST_Iterator* iterator, void* argument, void*) {
  auto& task = *static_cast<MixedTask*>(argument);
  const int result = task.names_.Check(iterator);
  // At a later moment, the thread can be without Java frames, or be ending.
  if (task.api_.profiler_asgst_trace_kind(iterator) == ASGST_APPROXIMATE_TRACE) {
    task.approximate_.fetch_add(1, std::memory_order_relaxed);
    task.Note(result);
  } else {
    task.NoteEnd(result);
  }
  task.processed_.fetch_add(1, std::memory_order_relaxed);
}

void MixedTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& task = *static_cast<MixedTask*>(argument);
  task.NoteEnd(task.names_.Check(iterator));
}

void MixedTask::Begin(jvmtiEnv*, JNIEnv*) {
  end_ = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
  replacing_ = std::thread([this] { ReplaceQueues(); });
  walking_ = std::thread([this] { WalkOthers(); });
}

// REQUIRES: slot.mutex is held; the thread of the slot is running.
void MixedTask::Register(Slot& slot) {
  constexpr int kOptions[] = {0, ASGST_INCLUDE_NON_JAVA_FRAMES, ASGST_APPROXIMATE_STACKS,
                              ASGST_APPROXIMATE_STACKS | ASGST_INCLUDE_NON_JAVA_FRAMES};
  const int options = kOptions[registered_ % std::size(kOptions)];
  ASGST_Queue* const queue =
      api_.ASGST_RegisterQueue(slot.env, kQueueSize, options, &OnStack, this);
  (queue == nullptr ? not_registered_ : registered_).fetch_add(1, std::memory_order_relaxed);
  slot.queue = queue;
}

// REQUIRES: slot.mutex is held.
void MixedTask::Remove(Slot& slot) {
  ASGST_Queue* const queue = slot.queue.exchange(nullptr);
  if (queue != nullptr && api_.ASGST_DeregisterQueue(nullptr, queue)) removed_.fetch_add(1);
}

void MixedTask::OnThreadStart(JNIEnv* jni) {
  for (Slot& slot : slots_) {
    if (slot.is_taken.exchange(true)) continue;
    const std::lock_guard lock(slot.mutex);
    slot.env = jni;
    slot.tid = gettid();
    // Before VMInit, ReplaceQueues registers the queue later.
    if (api_.ASGST_Capabilities() != 0) Register(slot);
    t_slot = &slot;
    return;
  }
}

void MixedTask::OnThreadEnd(JNIEnv*) {
  Slot* const slot = t_slot;
  t_slot = nullptr;
  if (slot == nullptr) return;
  const std::lock_guard lock(slot->mutex);
  slot->env = nullptr;
  constexpr uint64_t kBetweenRemovals = 8;
  if (left_.fetch_add(1, std::memory_order_relaxed) % kBetweenRemovals == 0) {
    Remove(*slot);
  } else {
    slot->queue = nullptr;
  }
  slot->is_taken = false;
}

void MixedTask::ReplaceQueues() {
  while (!is_over_) {
    for (Slot& slot : slots_) {
      const std::lock_guard lock(slot.mutex);
      if (slot.env == nullptr) continue;
      Remove(slot);
      Register(slot);
    }
    nanosleep(&kPause, nullptr);
  }
}

void MixedTask::WalkOthers() {
  while (!is_over_) {
    for (const Slot& slot : slots_) {
      if (slot.tid == 0) continue;
      const int result = api_.ASGST_RunWithIteratorOfThread(slot.tid, 0, &OnWalk, this);
      Note(result);
      if (result > 0) others_.fetch_add(1, std::memory_order_relaxed);
    }
    nanosleep(&kPause, nullptr);
  }
}

void MixedTask::OnSignal(ucontext_t* ucontext) {
  inside_.fetch_add(1);
  const uint64_t signal = signals_.fetch_add(1, std::memory_order_relaxed);
  Slot* const slot = t_slot;
  ASGST_Queue* const queue = slot == nullptr ? nullptr : slot->queue.load();
  if (signal % 2 == 0 && queue != nullptr) {
    const int result = api_.ASGST_Enqueue(queue, ucontext, nullptr);
    Note(result);
    if (result > 0) enqueued_.fetch_add(1, std::memory_order_relaxed);
  } else {
    const int options = signal % 4 == 1 ? ASGST_INCLUDE_NON_JAVA_FRAMES : 0;
    Note(api_.ASGST_RunWithIterator(ucontext, options, &OnWalk, this));
  }
  constexpr uint64_t kBetweenResizes = 16;
  if (signal % kBetweenResizes == 0) {
    Note(api_.ASGST_ResizeQueue(queue, static_cast<int>(1 + signal / kBetweenResizes % 100)));
    static_cast<void>(api_.ASGST_GetQueueSizeInfo(queue));
    ASGST_QueueElement element;
    Note(api_.ASGST_GetEnqueuableElement(ucontext, &element));
  }
  inside_.fetch_sub(1);
}

void MixedTask::Note(int result) {
  if (!IsDocumented(result)) undocumented_.fetch_add(1, std::memory_order_relaxed);
  if (result <= 0 && -result < kResults) results_[-result].fetch_add(1, std::memory_order_relaxed);
}

void MixedTask::NoteEnd(int result) {
  if (result <= 0 && -result < kResults) ends_[-result].fetch_add(1, std::memory_order_relaxed);
}

std::string MixedTask::Text() {
  is_over_ = true;
  if (replacing_.joinable()) replacing_.join();
  if (walking_.joinable()) walking_.join();
  while (inside_ != 0) nanosleep(&kPause, nullptr);
  for (Slot& slot : slots_) {
    const std::lock_guard lock(slot.mutex);
    Remove(slot);
  }
  // The library finds within a second that a thread has ended.
  constexpr int kMostMillis = 20'000;
  for (int i = 0; i < kMostMillis && processed_ < enqueued_; ++i) nanosleep(&kPause, nullptr);
  const auto line = [](const char* name, uint64_t value) {
    return std::string("mixed.") + name + "=" + std::to_string(value) + "\n";
  };
  std::string text = line("signals", signals_) + line("enqueued", enqueued_) +
                     line("processed", processed_) + line("approximate", approximate_) +
                     line("registered", registered_) + line("not_registered", not_registered_) +
                     line("removed", removed_) + line("others", others_) +
                     line("undocumented", undocumented_);
  uint64_t ends = 0;
  for (const auto& end : ends_) ends += end;
  text += line("ends", ends);
  for (int i = 0; i < kResults; ++i) {
    if (results_[i] != 0) text += line(("result." + std::to_string(i)).c_str(), results_[i]);
    if (ends_[i] != 0) text += line(("end." + std::to_string(i)).c_str(), ends_[i]);
  }
  return text + names_.Text();
}

}  // namespace jprof::test
