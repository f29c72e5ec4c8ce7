// Counters: numbers of the process over time: its share of the CPUs, its heap, its memory. A row of
// counters.def each. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile_event.h"

namespace jprof {
class JsonWriter;
}

namespace jprof::firefox {

class Counters {
 public:
  Counters();

  static bool Wants(const profile::RecordedType& type);
  void OnEvent(const profile::ProfileEvent& event);

  // The value of `counters`. Times are written as since `start_ns`; `thread`: index of the thread
  // among whose tracks they stand.
  void Write(int64_t start_ns, const std::string& pid, size_t thread, JsonWriter& json) const;

  int64_t first_ns() const;  // the largest number: there are none

 private:
  struct Point {
    int64_t time_ns;
    double value;
  };
  std::vector<std::vector<Point>> points_;  // by row
};

}  // namespace jprof::firefox
