// Counters: numbers over time, such as the CPU load, the heap and the memory of the process. Each
// counter is a row of counters.def. Used by one thread.
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

  // Writes the value of `counters`, with times relative to `start_ns`. `thread`: index of the
  // thread whose tracks show the counters.
  void Write(int64_t start_ns, const std::string& pid, size_t thread, JsonWriter& json) const;

  // Returns the time of the first event; INT64_MAX: there are no events.
  int64_t first_ns() const;

 private:
  struct Point {
    int64_t time_ns;
    double value;
  };
  std::vector<std::vector<Point>> points_;  // indexed by row
};

}  // namespace jprof::firefox
