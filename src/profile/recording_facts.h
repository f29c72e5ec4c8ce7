// RecordingFacts collects what a recording says about its process: the JVM, the machine's name, the
// libraries, the source files of classes, the number of windows, the number of allocated bytes, and
// the counts of the audit of stacks.
// TakeKindSetting reads the settings of a kind of samples.
//
// Part of ReadSamples; not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/reader/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

// Takes a setting (jdk.ActiveSetting) of an event type whose events are samples of `kind`. `period`
// and async-profiler's `interval` are the sampling interval. Two settings exist only in recordings
// of jprof: `request` is the position among the requested events, and `filter` names the recorded
// threads. Returns true if `request` is 0, which means that the events only repeat the samples of
// another type, for readers that do not know the other type.
bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t kind,
                     Profile& profile);

class RecordingFacts {
 public:
  // REQUIRES: `profile` outlives the object.
  explicit RecordingFacts(Profile& profile) : profile_(profile) {}

  static bool Wants(const RecordedType& type);
  void OnEvent(const JfrEvent& event);
  // Sets the standard error of the total of all allocation samples: it is the difference between
  // this total and the number of bytes that the JVM has counted. Called after the last event.
  void Finish();

 private:
  void OnLibrary(const JfrEvent& event);
  void OnClassSource(const JfrEvent& event);
  void OnCalibration(const JfrEvent& event);
  void OnAudit(const JfrEvent& event);
  void OnCounter(const JfrEvent& event);
  void OnSetting(const JfrEvent& event);

  Profile& profile_;
  double allocated_bytes_ = 0;  // bytes that the JVM has counted; 0 if unknown
};

}  // namespace jprof::profile
