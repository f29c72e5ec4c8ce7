// Blockers sums waits for locks, and finds deadlocks. There is one sum for each combination of a
// thread that held a lock, a thread that waited for the lock, and the class of the lock. Not
// thread-safe.
//
// A wait is left out if the owner of the lock was not recorded. This is always so for waits for
// work, because no thread blocks the waiting thread then.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "profile/analysis/recorded_wait.h"
#include "profile/profile.h"

namespace jprof {

// The sum of several waits.
struct WaitSum {
  double time_ns = 0;
  double variance = 0;
  uint64_t recorded = 0;
  double longest_ns = 0;
  uint64_t unfinished = 0;

  void Add(const RecordedWait& wait) {
    time_ns += wait.stands_for_ns;
    variance += wait.variance();
    ++recorded;
    longest_ns = std::max(longest_ns, wait.waited_ns);
    unfinished += wait.is_unfinished ? 1 : 0;
  }
  void Add(const WaitSum& other) {
    time_ns += other.time_ns;
    variance += other.variance;
    recorded += other.recorded;
    longest_ns = std::max(longest_ns, other.longest_ns);
    unfinished += other.unfinished;
  }
};

// The waiting time by place (RecordedWait::held_in), for at most kMost places. The time of all
// further places, and of waits without a known place, has the empty text.
class PlaceShares {
 public:
  static constexpr size_t kMost = 16;

  void Add(const std::string& place, double time_ns) {
    const bool is_counted = times_.size() < kMost || times_.contains(place);
    times_[is_counted ? place : std::string()] += time_ns;
  }
  const std::map<std::string, double>& times() const { return times_; }
  // Returns the place with the longest time; an empty text if no place is known.
  std::string Longest() const;

 private:
  std::map<std::string, double> times_;
};

// The sum of the waits of a pair, and the places where the lock was held.
struct PairSum : WaitSum {
  PlaceShares held_in = {};

  void Add(const RecordedWait& wait) {
    WaitSum::Add(wait);
    held_in.Add(wait.held_in, wait.stands_for_ns);
  }
};

class Blockers {
 public:
  // A thread that held a lock, a thread that waited for the lock, and the class of the lock.
  struct Pair {
    std::string blocker;
    ThreadIdentity blocker_id;
    uint32_t blocked;  // index into Profile::threads()
    std::string lock_class;

    auto operator<=>(const Pair&) const = default;
  };
  // A wait that had not ended when the recording ended.
  struct OpenWait {
    std::string blocker;
    ThreadIdentity blocker_id;
    profile::Interval interval;
  };
  static constexpr size_t kNoBound = SIZE_MAX;
  static constexpr size_t kMostNamed = 8;  // number of threads that DeadlockText names

  // Sums the waits of at most `most_pairs` different pairs. The waits of all further pairs are only
  // counted (left_out).
  explicit Blockers(size_t most_pairs = kNoBound) : most_pairs_(most_pairs) {}

  void Add(const RecordedWait& wait);

  const std::map<Pair, PairSum>& pairs() const { return pairs_; }
  uint64_t left_out() const { return left_out_; }  // waits of pairs beyond most_pairs

  // Returns "deadlock: a waits for b, b waits for a" if open waits of one recording form a circle.
  // Otherwise returns an empty text. The circle is found by the ids of threads, because several
  // threads can have the same name.
  std::string DeadlockText(const profile::Profile& profile) const;

 private:
  const size_t most_pairs_;
  std::map<Pair, PairSum> pairs_;
  // The last open wait of each thread, keyed by recording and waiting thread.
  std::map<std::pair<uint32_t, uint32_t>, OpenWait> open_waits_;
  uint64_t left_out_ = 0;
};

}  // namespace jprof
