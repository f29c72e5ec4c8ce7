// RecordingFacts: what a recording says of its process: the JVM, the machine's name, the libraries,
// the source files of classes, the number of windows. Part of ReadSamples; one thread.
#pragma once

#include "profile/jfr/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

class RecordingFacts {
 public:
  // REQUIRES: `profile` outlives the object.
  explicit RecordingFacts(Profile& profile) : profile_(profile) {}

  static bool Wants(const JfrType& type);
  void OnEvent(const JfrEvent& event);

 private:
  void OnLibrary(const JfrEvent& event);
  void OnClassSource(const JfrEvent& event);
  void OnCounter(const JfrEvent& event);
  void OnSetting(const JfrEvent& event);

  Profile& profile_;
};

}  // namespace jprof::profile
