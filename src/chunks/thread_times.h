// ThreadTimes: writes profiler.ThreadTime: how long each thread lived within the recording, its CPU
// time and its time in the run queue. The times are exact: they are the kernel's counters.
//
// A thread has an event for each chunk in which it lived. Each event begins where the thread's
// previous event ends, so their sums are those of the thread's life. The first event of a thread
// begins at Start, or for a later thread when it announces its start or when the list of tasks
// first shows it; the last event ends with the thread, or at Stop. The time in the run queue of a
// thread that announces its start includes the wait for its first processor, although that wait
// precedes the first event. The time of a thread that ends unannounced, as collector threads do
// before the VM's death, is known up to the drain before its end: at most a tenth of a second is
// missing.
//
// Bounded: while kMaxWaiting events wait for the recorder's thread, the events of ending threads
// are dropped and counted; later events of live threads cover that time.
//
// Start and Stop are called while all engines run, so that the waits and samples of the engines
// cover these times. The registry reports starts and ends of threads on any thread, under its lock:
// the functions that it calls read at most one small file, and do not wait. Everything else runs on
// the recorder's thread.
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

  // The kernel's counters of a thread at a moment; time_ns is 0 if they are not read yet.
  struct Reading {
    Nanos time_ns = 0;
    Nanos cpu_ns = 0;
    Nanos queued_ns = 0;
  };
  // A part of a thread's life, which becomes one event. An open piece goes on.
  struct Piece {
    uint32_t serial = 0;  // 0: no thread
    Tid tid{0};
    Reading from = {};
    Reading to = {};  // the end; while the piece is open, the last drain
    const ThreadSlot* slot = nullptr;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) override;
  // Reads the counters now. Returns time_ns 0 if the thread has exited.
  static Reading Read(Tid tid);
  void ReadAll(Threads threads);
  // Reads the CPU clocks of native threads, which can end unannounced.
  void ReadNative();
  void Advance(Piece& piece, const Reading& now);
  std::vector<Piece> Take();

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::mutex mutex_;          // guards all below; taken within the registry's lock
  std::vector<Piece> open_;   // indexed by the index of the thread's slot
  std::vector<Piece> ended_;  // ended pieces that are not written yet
  uint64_t dropped_ = 0;      // dropped events since the start
};

}  // namespace jprof
