// Facts: a recording's facts about the machine, the JVM and the recording itself, for the profile's
// `meta`. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

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
  // Numbers of sampling intervals by kind and outcome.
  std::map<std::pair<std::string, std::string>, int64_t> outcomes_;
};

}  // namespace jprof::firefox
