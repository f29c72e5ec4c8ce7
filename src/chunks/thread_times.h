// ThreadTimes: writes the event profiler.ThreadTime, which has the elapsed time of a thread within
// the recording, its CPU time and its time in the run queue. The times are exact, because they are
// from the kernel's counters.
//
// A thread has an event for each chunk in which it exists. Each event begins where the thread's
// previous event ends, so the sums over a thread's events are its times in the recording. For a
// thread that exists at Start, the first event begins at Start. For a thread that starts later, the
// first event begins when the thread announces its start, or when the list of tasks first shows the
// thread. The last event of a thread ends when the thread ends, or at Stop.
//
// If a thread announces its start, its time in the run queue includes the wait for its first
// processor, although that wait precedes the first event. If a thread ends unannounced, as
// collector threads do before the VM's death, its times are known up to the last drain before its
// end: at most a tenth of a second is missing.
//
// Bounded: once kMaxWaiting events wait for the recorder's thread, the events of ending threads are
// dropped and counted. A live thread loses nothing: its next event also covers that time.
//
// Start and Stop are called while all engines run, so that the engines' waits and samples cover the
// same time. The registry calls OnThreadStart and OnThreadEnd on any thread, under the registry's
// lock: OnThreadStart reads at most one small file, and neither waits. Everything else runs on the
// recorder's thread.
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

  // The kernel's counters of a thread at a moment; time_ns is 0 if the counters are not read yet.
  struct Reading {
    Nanos time_ns = 0;
    Nanos cpu_ns = 0;
    Nanos queued_ns = 0;
  };
  // A part of the time in which a thread exists, for one event. An open piece has not ended yet.
  struct Piece {
    uint32_t serial = 0;  // 0: no thread
    Tid tid{0};
    Reading from = {};
    Reading to = {};  // the end; for an open piece, the last drain
    const ThreadSlot* slot = nullptr;
  };

  bool NeedsRunQueue() const override { return true; }
  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override;
  // Reads the counters now. Returns time_ns 0 if the thread has exited.
  static Reading Read(Tid tid);
  void ReadAll(Threads threads);
  // Reads the CPU clocks of native threads, which can end unannounced.
  void ReadNative();
  void Advance(Piece& piece, const Reading& now);
  std::vector<Piece> Take();

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::mutex mutex_;          // guards all members below; taken while the registry's lock is held
  std::vector<Piece> open_;   // indexed by the index of the thread's slot
  std::vector<Piece> ended_;  // ended pieces that are not written yet
  uint64_t dropped_ = 0;      // dropped events since the start
};

}  // namespace jprof
