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

// Samples that were taken while the thread used CPU time, of `kind`, in ascending order.
std::vector<SampleRow> CpuRows(const profile::SampleKind& kind,
                               std::span<const LoggedSample> samples);

// Samples of elapsed time. `cpu`: rows of the thread's CPU time; nullptr: not recorded, the state
// of the thread says whether it ran.
std::vector<SampleRow> ElapsedRows(const profile::Profile& profile, const profile::SampleKind& kind,
                                   std::span<const LoggedSample> samples,
                                   const std::vector<SampleRow>* cpu);

// Events that last: `samples` of a row is their time in nanoseconds.
std::vector<SampleRow> EventRows(std::span<const LoggedSample> samples);

// Time between two samples of a kind; a guess if the recording does not say it.
int64_t IntervalOf(const profile::SampleKind& kind);

}  // namespace jprof::firefox
