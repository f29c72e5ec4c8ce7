// The waits of a recording, summed up by kinds of the program Locks.
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
  // The names of fields: events that the JDK has words for have those.
  std::string owner() const { return event.type == kEnter ? "previousOwner" : "owner"; }
  std::string waker() const { return event.type == kWait ? "notifier" : "waker"; }
};

std::vector<Wait> WaitsOf(const Recording& recording);

// Of the thread that waited.
std::string NameOf(const Wait& wait);

struct Sums {
  double total = 0;
  double variance = 0;
  double longest = 0;
  int events = 0;
  int owned = 0;  // with an owner of the same kind, or known by its id
  int woken = 0;  // likewise
  std::string strange_owners = {};
  std::string strange_wakers = {};

  // Four standard errors, and a fiftieth.
  double Tolerance(double truth) const { return truth / 50 + 4 * std::sqrt(variance); }
};

// By the kind that the thread's name begins with.
std::map<std::string, Sums> SumsOf(const std::vector<Wait>& waits);

}  // namespace jprof::test
