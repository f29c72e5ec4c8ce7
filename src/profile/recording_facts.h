// RecordingFacts: collects what a recording says about its process: the JVM, the machine's name,
// the libraries, the source files of classes, the number of windows, and all bytes that it has
// allocated. TakeKindSetting: reads the settings of a kind of samples.
//
// Part of ReadSamples; not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/reader/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

// Takes one setting of a kind's event, from jdk.ActiveSetting: the interval from `period`, or from
// async-profiler's `interval`; the request from our own `request` and `filter`. Returns true if the
// events repeat the samples of another type, for readers that do not know that type.
bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t kind,
                     Profile& profile);

class RecordingFacts {
 public:
  // REQUIRES: `profile` outlives the object.
  explicit RecordingFacts(Profile& profile) : profile_(profile) {}

  static bool Wants(const RecordedType& type);
  void OnEvent(const JfrEvent& event);
  // Sets the error of the sum of all allocations to its distance from the bytes that the JVM has
  // counted. Called after the last event.
  void Finish();

 private:
  void OnLibrary(const JfrEvent& event);
  void OnClassSource(const JfrEvent& event);
  void OnCalibration(const JfrEvent& event);
  void OnCounter(const JfrEvent& event);
  void OnSetting(const JfrEvent& event);

  Profile& profile_;
  double allocated_bytes_ = 0;  // bytes that the JVM has counted; 0: not known
};

}  // namespace jprof::profile
