// HeldAllocations: the samples of a period, until its end says how they are scaled (calibration.h).
// A period ends with a chunk, or with kMostHeld samples.
//
// The recorder's thread, but where it says otherwise.
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

  // Without exact counters nothing is held longer than a drain, and nothing is scaled.
  HeldAllocations(WatchedThreads& threads, int64_t interval_bytes, AllocationEvents events,
                  Exact exact)
      : threads_(threads),
        interval_(interval_bytes),
        events_(events),
        exact_(exact),
        calibration_(interval_bytes) {}

  void Hold(const ResolvedSample& resolved);

  // Around each drain. The result: of samples up to then the scale is known now, if it ever is.
  void BeforeSamples(OpenChunk& open);
  std::optional<Nanos> AfterSamples(OpenChunk& open);
  // Of a thread's samples up to the last result. `number`: of WatchedThreads.
  Scale ScaleOf(uint32_t number) const { return calibration_.ScaleOf(number); }

  // No sample is taken after this. On the thread that stops the engine, which is not the
  // recorder's.
  void Stop();

  // No chunk can be written.
  void Forget();

  // "alloc: 1.25 GB counted by the JVM (samples before they are scaled to it: 1.23 GB ± 1.8 %)",
  // and what of it is in no event. Without exact counters: "alloc: 1.23 GB ± 1.8 %". Any thread.
  std::string Total() const;

 private:
  static constexpr size_t kMostHeld = 32'768;

  struct Held {
    Allocation allocation;
    uint32_t number;    // of the thread (ThreadBytes)
    CallTraceId trace;  // with the next: ContextFields
    uint32_t context;
    bool is_own;  // an object of the agent's, for its probes
  };

  // That is not counted yet.
  struct Loss {
    size_t place;  // in held_, or kWritten
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
  std::unordered_map<uint32_t, std::vector<Loss>> losses_;  // by the thread's serial
  BytesReading reading_;
  double rounding_ = 0;               // bytes that the written weights lack so far
  bool is_ending_ = false;            // the reading ends the period
  bool is_last_ = false;              // and was taken at the stop
  mutable std::mutex mutex_;          // guards all below
  std::optional<BytesReading> last_;  // at the stop
  AllocationSums sums_;               // so far
  uint64_t exact_bytes_ = 0;          // of the periods that have ended
  uint64_t unknown_ = 0;              // exact bytes while no chunk could be written
  double own_bytes_ = 0;              // of the agent's objects, scaled, in no event
  double not_announced_ = 0;          // bytes (Unseen)
};

}  // namespace jprof
