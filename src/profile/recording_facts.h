// RecordingFacts collects what a recording says about its process: the JVM, the machine's name, the
// libraries, the source files of classes, the number of windows, and the number of allocated bytes.
// TakeKindSetting reads the settings of a kind of samples.
//
// Part of ReadSamples; not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/reader/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

// Takes one setting of a kind's event type, as jdk.ActiveSetting has it. `period`, and
// async-profiler's `interval`, is the sampling interval. jprof's own `request` is the position
// among the requested events, and its `filter` names the recorded threads. Returns true if the
// events of the type only repeat the samples of another type, for readers that do not know the
// other type.
bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t kind,
                     Profile& profile);

class RecordingFacts {
 public:
  // REQUIRES: `profile` outlives the object.
  explicit RecordingFacts(Profile& profile) : profile_(profile) {}

  static bool Wants(const RecordedType& type);
  void OnEvent(const JfrEvent& event);
  // Sets the standard error of the sum of all allocation samples to the difference between that sum
  // and the bytes that the JVM has counted. Called after the last event.
  void Finish();

 private:
  void OnLibrary(const JfrEvent& event);
  void OnClassSource(const JfrEvent& event);
  void OnCalibration(const JfrEvent& event);
  void OnCounter(const JfrEvent& event);
  void OnSetting(const JfrEvent& event);

  Profile& profile_;
  double allocated_bytes_ = 0;  // bytes that the JVM has counted; 0 if unknown
};

}  // namespace jprof::profile
