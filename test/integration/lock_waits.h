// The waits of a recording, summed by the kinds of the program Locks.
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
  // Return the names of fields. Events that the JDK defines have the JDK's names.
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
  int owned = 0;  // waits with an owner of the same kind, or with one known only by its id
  int woken = 0;  // waits with such a waker
  std::string strange_owners = {};
  std::string strange_wakers = {};

  // Returns four standard errors and a fiftieth of the truth.
  double Tolerance(double truth) const { return truth / 50 + 4 * std::sqrt(variance); }
};

// Returns the sums by the kind with which the thread's name starts.
std::map<std::string, Sums> SumsOf(const std::vector<Wait>& waits);

}  // namespace jprof::test
