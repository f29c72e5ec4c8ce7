// HeldAllocations holds the samples of a period until the period ends, because only then their
// scales are known (calibration.h). A period ends with a chunk, or with kMostHeld samples.
//
// Used on the recorder's thread, except Stop and Total.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/alloc/alloc_events.h"
#include "engines/alloc/calibration.h"
#include "engines/alloc/watched_threads.h"

namespace jprof {

class HeldAllocations {
 public:
  enum class Exact : bool { kUnknown, kKnown };

  // Exact tells whether the exact counters of threads can be used. With kUnknown, samples are
  // written right after the drain that brought them, and are not scaled.
  HeldAllocations(WatchedThreads& threads, int64_t interval_bytes, AllocationEvents events,
                  Exact exact)
      : threads_(threads),
        interval_(interval_bytes),
        events_(events),
        exact_(exact),
        calibration_(interval_bytes) {}

  void Hold(const ResolvedSample& resolved);

  // Reads the counters of threads before a drain.
  void BeforeSamples(OpenChunk& open);
  // Called after a drain. If the period is over, ends the period, writes the events of its samples,
  // and returns the time up to which samples have a scale (ScaleOf). Returns nullopt if the period
  // goes on, or if samples are not scaled.
  std::optional<Nanos> AfterSamples(OpenChunk& open);
  // Returns the scale of a thread's samples in the last period that has ended. `number` is the
  // thread's number in WatchedThreads.
  Scale ScaleOf(uint32_t number) const { return calibration_.ScaleOf(number); }

  // Takes the last reading. REQUIRES: no sample is taken afterwards. Called on the thread that
  // stops the engine, which is not the recorder's thread.
  void Stop();

  // Ends the period without events, because no chunk can be written.
  void Forget();

  // Returns a text such as "alloc: 1.25 GB counted by the JVM (samples before they are scaled to
  // it: 1.23 GB ± 1.8 %)", and adds how many of these bytes are in no event. Without exact
  // counters, returns a text such as "alloc: 1.23 GB ± 1.8 %". Callable on any thread.
  std::string Total() const;

 private:
  static constexpr size_t kMostHeld = 32'768;

  struct Held {
    Allocation allocation;
    uint32_t number;    // ThreadBytes::number of the thread
    CallTraceId trace;  // `trace` and `context` are passed to ContextFields::ValuesOf
    uint32_t context;
    bool is_own;  // true if our probes allocated the object
  };

  // A lost sample whose thread is still unknown.
  struct Loss {
    size_t index;  // index in held_; kWritten once the loss has been written
    double weight;
  };
  static constexpr size_t kWritten = SIZE_MAX;

  void CountLosses();
  void Count(const Loss& loss, uint32_t number);
  std::optional<BytesReading> TakeLast();
  void Write(OpenChunk& open);
  void WriteUnseen(OpenChunk& open);
  void WriteOwn(const AllocationSums& own, OpenChunk& open) const;
  void WriteGroups(const std::vector<CalibrationGroup>& groups, OpenChunk& open) const;

  WatchedThreads& threads_;
  const int64_t interval_;
  const AllocationEvents events_;
  const Exact exact_;
  Calibration calibration_;
  std::vector<Held> held_;
  std::unordered_map<uint32_t, std::vector<Loss>> losses_;  // keyed by serial of the thread
  BytesReading reading_;
  double rounding_ = 0;       // weights before rounding minus written weights so far, in bytes
  bool is_ending_ = false;    // true if reading_ ends the period
  bool is_last_ = false;      // true if reading_ was taken at the stop
  mutable std::mutex mutex_;  // guards all below
  std::optional<BytesReading> last_;  // the reading at the stop
  AllocationSums sums_;               // sums of the samples so far
  uint64_t exact_bytes_ = 0;          // exact bytes of the periods that have ended
  uint64_t unknown_ = 0;      // exact bytes that were allocated while no chunk could be written
  double own_bytes_ = 0;      // scaled bytes of objects that our probes allocated; in no event
  double not_announced_ = 0;  // bytes that the JVM does not announce (Unseen)
};

}  // namespace jprof
