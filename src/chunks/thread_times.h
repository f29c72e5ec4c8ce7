// ThreadTimes: writes profiler.ThreadTime: how long each thread lived within the recording, its CPU
// time and its time in the run queue. The times are exact: they are the kernel's counters.
//
// A thread has an event for each chunk in which it lived. The events follow each other without
// gaps, so their sums are those of the thread's life. The first event begins with the thread, or
// when a list shows a thread that has started since, or at Start; the last event ends with the
// thread, or at Stop. The time of a thread that ends unannounced, as collector threads do before
// the VM's death, is known up to the drain before its end: at most a tenth of a second is missing.
//
// Bounded: while kMaxWaiting events wait for the recorder's thread, the events of ending threads
// are dropped and counted; later events of live threads cover that time.
//
// Start and Stop are called while all engines run, so that their waits and samples cover these
// times. Threads announce their starts and ends under the registry's lock; an end, and a start that
// a list has shown, reads one small file and does not wait. Everything else runs on the recorder's
// thread.
#pragma once

#include <mutex>
#include <vector>

#include "chunks/chunk_participant.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadTimes final : public ChunkParticipant, private ThreadListener {
 public:
  static constexpr size_t kMaxWaiting = 1 << 18;

  // REQUIRES: `registry` outlives the object.
  explicit ThreadTimes(ThreadRegistry& registry) : registry_(registry) {}
  ~ThreadTimes() override { Stop(); }
  ThreadTimes(const ThreadTimes&) = delete;
  ThreadTimes& operator=(const ThreadTimes&) = delete;

  void Start();
  // Ends the times of all threads. Has no effect when called again.
  void Stop();

  void AddSettings(EventSettings& settings) const override {
    settings.Enable(JfrType::kThreadTime);
  }
  void BeforeSamples(OpenChunk& chunk) override;
  void BeforeLastDrain(JNIEnv*) override { ReadAll(Threads::kAll); }
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;
  uint64_t Forget() override;

 private:
  enum class Threads : uint8_t { kAll, kNew };

  // The kernel's counters of a thread at a moment. time_ns 0: not read yet.
  struct Reading {
    Nanos time_ns = 0;
    Nanos cpu_ns = 0;
    Nanos queued_ns = 0;
  };
  struct Piece {
    uint32_t serial = 0;  // 0: no thread
    Tid tid{0};
    Reading from = {};
    Reading to = {};  // of an ended piece its end, of an open one the last drain
    const ThreadSlot* slot = nullptr;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) override;
  // Reads the counters now; time_ns 0: the thread has exited.
  static Reading Read(Tid tid);
  void ReadAll(Threads threads);
  // Reads the CPU clocks of native threads, which can end unannounced.
  void ReadNative();
  void Advance(Piece& piece, const Reading& now);
  std::vector<Piece> Take();

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::mutex mutex_;         // guards all below; taken within the registry's lock
  std::vector<Piece> open_;  // indexed by slot index of the thread
  std::vector<Piece> over_;  // ended pieces that are not written yet
  uint64_t dropped_ = 0;     // dropped events since the start
};

}  // namespace jprof
