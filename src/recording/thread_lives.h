// ThreadLives: when threads began and ended, for jdk.ThreadStart and jdk.ThreadEnd.
//
// The registry calls it on any thread, under its lock; the recorder's thread calls WriteTo, or Drop
// where nothing can be written, before the registry forgets who has ended. Only Java threads are
// written, as by the JDK, and of these the ones that are profiled. Threads that were there before
// the recording have no start.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "recording/jfr/jfr_writer.h"
#include "recording/thread_constants.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadLives final : public ThreadListener {
 public:
  explicit ThreadLives(ThreadRegistry& registry) : registry_(registry) {
    registry_.AddListener(this);
  }
  ~ThreadLives() override { registry_.RemoveListener(this); }
  ThreadLives(const ThreadLives&) = delete;
  ThreadLives& operator=(const ThreadLives&) = delete;

  void OnThreadStart(ProfiledThread& thread, Observed observed) override;
  void OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) override;

  // Writes what has happened since the last call.
  void WriteTo(JfrWriter& writer, ThreadConstants& threads);

  // Forgets that instead; how many events it would have been.
  uint64_t Drop();

 private:
  enum class Change { kStart, kEnd };
  struct Event {
    Change change;
    Nanos time_ns;
    uint32_t serial;
    Tid tid;
  };

  void Add(Change change, const ProfiledThread& thread);
  // Those of Java threads since the last call, and earlier starts of threads that are Java's by
  // now.
  std::vector<Event> Take();

  ThreadRegistry& registry_;
  std::unordered_map<uint32_t, Event> native_starts_;  // by serial: of threads that live
  std::mutex mutex_;                                   // guards below
  std::vector<Event> events_;
};

}  // namespace jprof
