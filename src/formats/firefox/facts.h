// Facts and Counters collect the events about the machine and the JVM as a whole. Used by one
// thread.
//
//   Facts     writes facts about the machine, the JVM and the recording to the profile's `meta`
//   Counters  writes numbers over time, such as CPU load and heap, to the profile's `counters`
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/format_row.h"
#include "profile/profile_event.h"

namespace jprof {
class JsonWriter;
}

namespace jprof::firefox {

class Facts {
 public:
  static bool Wants(const profile::RecordedType& type);
  void OnEvent(const profile::ProfileEvent& event);

  // Writes the members of `meta` that describe the profiled program, and the tables of `extra`.
  void Write(const profile::Profile& profile, const FormatContext& context, JsonWriter& json) const;

 private:
  void WriteExtra(const profile::Profile& profile, const FormatContext& context,
                  JsonWriter& json) const;

  std::string jvm_name_, jvm_arguments_, jvm_flags_, os_, cpu_;
  int64_t hardware_threads_ = 0, cores_ = 0, memory_bytes_ = 0;
  std::string collectors_;
  // The numbers of sampling intervals, by kind of samples and by outcome, such as "recorded".
  std::map<std::pair<std::string, std::string>, int64_t> outcomes_;
};

// Counters writes numbers over time. Each counter is a row of counters.def.
class Counters {
 public:
  Counters();

  static bool Wants(const profile::RecordedType& type);
  void OnEvent(const profile::ProfileEvent& event);

  // Writes the value of `counters`, with times relative to `start_ns`. `thread` is the index of the
  // thread with which the front end shows the counters.
  void Write(int64_t start_ns, const std::string& pid, size_t thread, JsonWriter& json) const;

  // Returns the time of the first event; INT64_MAX if there are no events.
  int64_t first_ns() const;

 private:
  struct Point {
    int64_t time_ns;
    double value;
  };
  std::vector<std::vector<Point>> points_;  // indexed by row
};

}  // namespace jprof::firefox
