// LiveHistory collects the live objects of a recording, snapshot by snapshot, and computes how fast
// their total size grows. Receives events like a SampleSink. Not thread-safe.
//
// Memory is bounded: data beyond the bounds is left out, and is_whole() is then false.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/key_map.h"
#include "profile/profile_event.h"

namespace jprof::profile {

// The number of age classes: 1, 2 to 3, 4 to 7, and 8 or more. The age of an object is the number
// of collections that it has survived.
inline constexpr size_t kAges = 4;

// The bytes of the live objects of a group, and their growth. Unknown variances are NaN.
struct LiveGrowth {
  double live = 0;  // bytes in the last snapshot
  double live_variance = 0;
  std::array<double, kAges> by_age{};  // bytes of `live` by age class
  double per_minute = 0;               // growth, in bytes
  double variance = 0;                 // variance of per_minute

  static constexpr double kSignificance = 4;
  // True if the growth is at least one byte per minute and exceeds kSignificance standard errors.
  // False if the error of the growth is unknown.
  bool IsGrowing() const;
  // True if the group has objects in the last snapshot, or a growth other than 0.
  bool HasObjects() const { return live != 0 || per_minute != 0; }
};

class LiveHistory {
 public:
  static constexpr size_t kMaxSnapshots = 100'000;
  static constexpr size_t kMaxRuns = 1'000'000;
  // The growth is computed from a choice of the snapshots, the judged ones. At most kMaxJudged
  // snapshots are judged; if more are suitable (JudgedTimes), evenly spaced ones of these are
  // chosen.
  static constexpr size_t kMaxJudged = 200;
  static constexpr size_t kFewestJudged = 4;

  // True if events of the type are live objects.
  static bool IsOfObjects(const RecordedType& type);
  // True if events of the type are snapshots.
  static bool IsOfSnapshots(const RecordedType& type);

  // Takes an event of a snapshot.
  void OnSnapshot(const ProfileEvent& event);
  // Takes an event of an object that has survived a collection. `site` is a number that the caller
  // has chosen for the class and the stack of the object.
  void OnObject(const ProfileEvent& event, uint32_t site);

  size_t snapshots() const { return snapshots_.size(); }
  bool is_whole() const { return is_whole_; }

  // Returns the times of the judged snapshots in order. A snapshot is suitable if the collector has
  // collected old objects since the previous suitable one.
  std::vector<int64_t> JudgedTimes() const;

  // Returns the growth of each group. `group_of_site` has the group of every site, a number below
  // `groups`. REQUIRES: there are at least kFewestJudged judged snapshots.
  std::vector<LiveGrowth> ComputeGrowth(const std::vector<uint32_t>& group_of_site,
                                        size_t groups) const;

 private:
  struct Snapshot {
    int64_t time_ns;
    int64_t old_collections;  // collections of old objects so far; -1 if unknown
  };
  // A run of consecutive snapshots that contain the same object with the same weight and error.
  struct Run {
    uint32_t object, site;
    uint32_t first, last;  // numbers of snapshots
    double weight, error;  // bytes; the error is NaN if unknown
    int64_t age;           // age in the last snapshot
  };

  // Makes the snapshot with this time the current one. Returns false if it would be a new snapshot
  // beyond kMaxSnapshots.
  bool FindSnapshot(int64_t time_ns);
  uint64_t Recognize(Run& run, int64_t allocated_ticks, const JfrEvent& fields);
  // Returns the numbers of the judged snapshots in order of time.
  std::vector<uint32_t> Judged() const;

  std::vector<Snapshot> snapshots_;      // in order of arrival
  std::map<int64_t, uint32_t> numbers_;  // index into snapshots_, by time
  std::vector<Run> runs_;
  KeyMap run_of_object_;  // key of an object -> index of its last run, plus 1
  uint32_t current_ = 0;  // number of the current snapshot
  uint32_t objects_ = 0;
  bool is_whole_ = true;
};

}  // namespace jprof::profile
