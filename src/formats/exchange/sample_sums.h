// SampleSums sums samples by kind, stack, thread, state and labels. The sums are in the order in
// which their first samples came, so that equal recordings give equal outputs. ValueTypes has the
// names and units of sums in pprof and OTLP, and computes their values. RecordedSpan is the time of
// the recording in both formats.
//
// Used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/key_map.h"
#include "profile/profile.h"

namespace jprof {

class SampleSums {
 public:
  // The properties, other than the stack, that all samples of a sum share.
  struct Group {
    uint32_t kind, thread, state, labels;
    auto operator<=>(const Group&) const = default;
  };
  struct StackSum {
    uint32_t group, stack;
    uint64_t samples, value;  // `value` is in the unit of the kind
    double objects;           // number of objects that the samples stand for; NaN if unknown
  };

  void Add(const profile::Sample& sample);
  // Completes the sums. REQUIRES: called after the last sample and before groups() and sums().
  void Finish() { AddPending(); }

  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<StackSum>& sums() const { return sums_; }

 private:
  uint32_t GroupNumber(const Group& group);
  void AddPending();

  std::vector<Group> groups_;
  std::map<Group, uint32_t> group_numbers_;
  KeyMap pair_numbers_;  // kind and thread -> index into last_groups_, plus 1
  // Caches the group of the last sample of each kind and thread, as an index into groups_. The next
  // sample of the same kind and thread mostly has the same group.
  std::vector<uint32_t> last_groups_;
  KeyMap sum_numbers_;  // group and stack -> index into sums_, plus 1
  std::vector<StackSum> sums_;
  // A sample that has not been added to its sum yet. Sums lie far apart in memory. So samples are
  // added in batches: AddPending first prefetches the sums of the whole batch.
  struct Pending {
    uint32_t group, stack;
    uint64_t samples, value;
    double objects;
    uint32_t sum;  // index into sums_
  };
  static constexpr size_t kMaxPending = 64;
  std::array<Pending, kMaxPending> pending_;
  size_t pending_count_ = 0;
};

// The start of a recording, in nanoseconds since 1970, and the duration of the recording. Both are
// limited to credible times (formats/credible_time.h).
struct RecordedSpan {
  int64_t start_ns, duration_ns;

  explicit RecordedSpan(const profile::Profile& profile);
};

// ValueTypes has the names and units of the values of samples of one kind, and computes the values.
struct ValueTypes {
  std::string_view count;  // name of the value in the unit "count"
  std::string_view value;  // name of the value in `unit`; empty if samples only have a count
  std::string_view unit;   // unit of `value`: "nanoseconds", "bytes"
  // True if samples of the kind are taken at intervals of time. The value of samples is then the
  // interval times the number of samples.
  bool is_interval = false;

  explicit ValueTypes(const profile::SampleKind& kind);

  // Returns `objects`, the number of objects that the samples stand for. If `objects` is unknown,
  // returns `samples`, the number of samples.
  static uint64_t CountOf(const profile::SampleKind& kind, uint64_t samples, double objects);
  // Returns the value of samples, in `unit`. The parameter `value` is the weight of the samples in
  // the unit of the kind.
  uint64_t ValueOf(const profile::SampleKind& kind, uint64_t samples, uint64_t value) const;
  // Returns the interval of the samples in nanoseconds if `unit` is "nanoseconds" and the interval
  // is known; otherwise 1.
  uint64_t PeriodOf(const profile::SampleKind& kind) const;
};

}  // namespace jprof
