// ThreadSamples: the samples of one kind in one thread, as rows of a samples table. Used by one
// thread.
//
// A thread does not run between samples of CPU time. The front end knows this only from the rows:
// rows without a stack mark both ends of every such gap, and every row has the CPU time that the
// thread used since the last row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/firefox/sample_log.h"
#include "profile/profile.h"

namespace jprof::firefox {

struct SampleRow {
  int64_t time_ns = 0;
  uint64_t cpu_ns = 0;   // CPU time used since the last row
  uint64_t samples = 0;  // 0: no stack; the thread did not run
  uint32_t stack = 0;
  uint8_t idle = 0;  // subcategory of Idle
};

// RowSink: gets rows in ascending order of time.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void Add(const SampleRow& row) = 0;
};

// CpuUses: the CPU time that a thread used, over time.
class CpuUses {
 public:
  struct Use {
    int64_t time_ns;
    uint64_t cpu_ns;
  };

  // `samples`: samples of CPU time, as for AddCpuRows.
  CpuUses(const profile::SampleKind& kind, std::span<const LoggedSample> samples);

  const std::vector<Use>& uses() const { return uses_; }
  // Return the start of the first use and the end of the last one. REQUIRES: there are uses.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  std::vector<Use> uses_;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

// Adds rows for samples that were taken while the thread used CPU time. REQUIRES: the samples are
// of `kind` and in ascending order of time.
void AddCpuRows(const profile::SampleKind& kind, std::span<const LoggedSample> samples,
                RowSink& rows);

// Adds rows for samples of elapsed time. `cpu`: the thread's CPU time; nullptr: not recorded, so
// the state of the thread decides whether it ran.
void AddElapsedRows(const profile::Profile& profile, const profile::SampleKind& kind,
                    std::span<const LoggedSample> samples, const CpuUses* cpu, RowSink& rows);

// Adds rows for events with a duration: `samples` of a row is the duration in nanoseconds.
void AddEventRows(std::span<const LoggedSample> samples, RowSink& rows);

// Returns the time between two samples of a kind; a guess (10 ms) if the recording does not have
// it.
int64_t IntervalOf(const profile::SampleKind& kind);

}  // namespace jprof::firefox
