// ThreadLifecycleEvents: writes the starts and ends of threads, as jdk.ThreadStart and
// jdk.ThreadEnd.
//
// The registry reports starts and ends on any thread, under the registry's lock. The recorder's
// thread takes these reports before the registry drops the ended threads. Only profiled Java
// threads have events, as in recordings of the JDK. Threads that existed before the recording have
// no start.
//
// Bounded: once kMaxWaiting starts and ends wait for the recorder's thread, further ones are
// counted and dropped.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "chunks/chunk_participant.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadLifecycleEvents final : public ChunkParticipant, private ThreadListener {
 public:
  static constexpr size_t kMaxWaiting = 1 << 18;

  explicit ThreadLifecycleEvents(ThreadRegistry& registry, size_t max_waiting = kMaxWaiting)
      : registry_(registry), max_waiting_(max_waiting) {
    registry_.AddListener(this);
  }
  ~ThreadLifecycleEvents() override { registry_.RemoveListener(this); }
  ThreadLifecycleEvents(const ThreadLifecycleEvents&) = delete;
  ThreadLifecycleEvents& operator=(const ThreadLifecycleEvents&) = delete;

  void AddSettings(EventSettings& settings) const override {
    settings.Enable(JfrType::kThreadStart);
    settings.Enable(JfrType::kThreadEnd);
  }
  // Writes the events before the samples of the drain: a thread keeps its first description within
  // a drain, and these events describe it as a Java thread.
  void BeforeSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

  // Returns the number of starts and ends that have been dropped so far.
  uint64_t missed();

 private:
  enum class Change { kStart, kEnd };
  struct Event {
    Change change;
    Nanos time_ns;
    uint32_t serial;
    Tid tid;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override;
  void Add(Change change, const ThreadSlot& thread);
  // Returns the events of Java threads since the last call, and the earlier starts of threads that
  // have become Java threads since the last call.
  std::vector<Event> Take();

  ThreadRegistry& registry_;
  const size_t max_waiting_;
  // Starts of threads that are not Java threads yet, by serial.
  std::unordered_map<uint32_t, Event> native_starts_;
  std::mutex mutex_;  // guards all members below
  std::vector<Event> events_;
  uint64_t missed_ = 0;
  bool has_missed_ = false;  // true: events were dropped since the last Take
};

}  // namespace jprof
