// LiveHistory: the live objects of a recording, snapshot by snapshot, and how fast they become
// more. Fed as a SampleSink with the events that it asks for. One thread.
//
// Memory is bounded; what is beyond the bounds is left out, and is_whole() says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/key_map.h"
#include "profile/profile_event.h"

namespace jprof::profile {

// Collections that an object has survived: 1, 2 to 3, 4 to 7, 8 and more.
inline constexpr size_t kAges = 4;

// Of the live objects of a group. Bytes, with variances, which are NaN where they are not known.
struct LiveGrowth {
  double live = 0;  // in the last judged snapshot
  double live_variance = 0;
  std::array<double, kAges> by_age{};  // parts of `live`
  double per_minute = 0;
  double variance = 0;  // of per_minute

  // Whether per_minute is a byte, and beyond so many standard errors. No if these are not known.
  static constexpr double kSignificance = 4;
  bool IsGrowing() const;
  // Whether there were any in a judged snapshot, or in the last one.
  bool HasObjects() const { return live != 0 || per_minute != 0; }
};

class LiveHistory {
 public:
  static constexpr size_t kMaxSnapshots = 100'000;
  static constexpr size_t kMaxRuns = 1'000'000;
  // Of very many snapshots so many are judged, evenly spaced.
  static constexpr size_t kMaxJudged = 200;
  static constexpr size_t kFewestJudged = 4;

  // Whether events of the type are of live objects or snapshots.
  static bool IsOfObjects(const RecordedType& type);
  static bool IsOfSnapshots(const RecordedType& type);

  // An event of a snapshot.
  void OnSnapshot(const ProfileEvent& event);
  // An event of an object, which a collection could have freed. `site`: a number of the caller's
  // for its class and stack.
  void OnObject(const ProfileEvent& event, uint32_t site);

  size_t snapshots() const { return snapshots_.size(); }
  bool is_whole() const { return is_whole_; }

  // The moments of the judged snapshots, in order: with more collections of old objects than at the
  // one before.
  std::vector<int64_t> JudgedTimes() const;

  // By group; `group_of_site`: below `groups`. REQUIRES: a group for every site, and at least
  // kFewestJudged judged snapshots.
  std::vector<LiveGrowth> GrowthOf(const std::vector<uint32_t>& group_of_site, size_t groups) const;

 private:
  struct Snapshot {
    int64_t time_ns;
    int64_t old_collections;  // so far; -1: not known
  };
  // An object in snapshots that follow each other, with one weight.
  struct Run {
    uint32_t object, site;
    uint32_t first, last;  // numbers of snapshots
    double weight, error;  // error: NaN if it is not known
    int64_t age;           // in the last one
  };

  // Makes the snapshot of this moment the current one; false: there are too many.
  bool FindSnapshot(int64_t time_ns);
  uint64_t Recognize(Run& run, int64_t allocated_ticks, const JfrEvent& fields);
  // In the order of time.
  std::vector<uint32_t> Judged() const;

  std::vector<Snapshot> snapshots_;      // as they came
  std::map<int64_t, uint32_t> numbers_;  // of snapshots, by moment
  std::vector<Run> runs_;
  KeyMap run_of_object_;  // identity -> its last run, plus 1
  uint32_t current_ = 0;  // snapshot
  uint32_t objects_ = 0;
  bool is_whole_ = true;
};

}  // namespace jprof::profile
