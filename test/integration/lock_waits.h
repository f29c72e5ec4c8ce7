// The waits of a recording of the program Locks, and their sums by kind of lock.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/jvm/recording.h"

namespace jprof::test {

inline constexpr char kEnter[] = "jdk.JavaMonitorEnter";
inline constexpr char kWait[] = "jdk.JavaMonitorWait";
inline constexpr char kPark[] = "jdk.ThreadPark";

struct Wait {
  Event event;

  double duration() const { return static_cast<double>(event.Number("duration")); }
  double waited() const { return static_cast<double>(event.Number("waited")); }
  // Return the names of the fields for the owner and the waker. Events that the JDK defines have
  // the JDK's names.
  std::string owner() const { return event.type == kEnter ? "previousOwner" : "owner"; }
  std::string waker() const { return event.type == kWait ? "notifier" : "waker"; }
};

std::vector<Wait> WaitsOf(const Recording& recording);

// Returns the name of the thread that waited.
std::string NameOf(const Wait& wait);

struct Sums {
  double total = 0;
  double variance = 0;
  double longest = 0;
  int events = 0;
  int owned = 0;  // waits whose owner is a thread of the same kind, or is known only by its id
  int woken = 0;  // waits whose waker is a thread of the same kind, or is known only by its id
  std::string strange_owners = {};
  std::string strange_wakers = {};

  // Returns the allowed difference from `truth`: a fiftieth of it plus four standard errors.
  double Tolerance(double truth) const { return truth / 50 + 4 * std::sqrt(variance); }
};

// Returns the sums by kind of lock, which is the start of the thread's name.
std::map<std::string, Sums> SumsOf(const std::vector<Wait>& waits);

}  // namespace jprof::test
