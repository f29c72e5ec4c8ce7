// ThreadSamples: the samples of one kind in one thread, as rows of a samples table. One thread.
//
// Between samples of CPU time a thread was not running, which the front end knows only if it is
// told: rows without a stack stand at both ends of every such gap, and every row says how much CPU
// time the thread used since the last one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/firefox/sample_log.h"
#include "profile/profile.h"

namespace jprof::firefox {

struct SampleRow {
  int64_t time_ns = 0;
  uint64_t cpu_ns = 0;   // used since the last row
  uint64_t samples = 0;  // 0: no stack; the thread did not run
  uint32_t stack = 0;
  uint8_t idle = 0;  // subcategory of Idle
};

// Gets rows in ascending order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void Add(const SampleRow& row) = 0;
};

// CPU time that a thread used.
class CpuUses {
 public:
  struct Use {
    int64_t time_ns;
    uint64_t cpu_ns;
  };

  // Of the samples of AddCpuRows.
  CpuUses(const profile::SampleKind& kind, std::span<const LoggedSample> samples);

  const std::vector<Use>& uses() const { return uses_; }
  // The begin of the first row and the end of the last one. REQUIRES: there are uses.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  std::vector<Use> uses_;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

// Samples that were taken while the thread used CPU time, of `kind`, in ascending order.
void AddCpuRows(const profile::SampleKind& kind, std::span<const LoggedSample> samples,
                RowSink& rows);

// Samples of elapsed time. `cpu`: the thread's CPU time; nullptr: not recorded, the state of the
// thread says whether it ran.
void AddElapsedRows(const profile::Profile& profile, const profile::SampleKind& kind,
                    std::span<const LoggedSample> samples, const CpuUses* cpu, RowSink& rows);

// Events that last: `samples` of a row is their time in nanoseconds.
void AddEventRows(std::span<const LoggedSample> samples, RowSink& rows);

// Time between two samples of a kind; a guess if the recording does not say it.
int64_t IntervalOf(const profile::SampleKind& kind);

}  // namespace jprof::firefox
