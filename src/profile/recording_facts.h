// RecordingFacts: what a recording says of its process: the JVM, the machine's name, the libraries,
// the source files of classes, the number of windows, all bytes that it has allocated. Part of
// ReadSamples; one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/reader/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

// TakeKindSetting: what jdk.ActiveSetting says of a kind of samples. Part of ReadSamples; no state.

// The interval: the event's `period`, or async-profiler's `interval`. The request: our own
// `request` and `filter`. True: the events repeat samples of another type, for readers that do not
// know that type.
bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t kind,
                     Profile& profile);

class RecordingFacts {
 public:
  // REQUIRES: `profile` outlives the object.
  explicit RecordingFacts(Profile& profile) : profile_(profile) {}

  static bool Wants(const RecordedType& type);
  void OnEvent(const JfrEvent& event);
  // After the last event. The error of all allocations together is how far they are off what the
  // JVM has counted.
  void Finish();

 private:
  void OnLibrary(const JfrEvent& event);
  void OnClassSource(const JfrEvent& event);
  void OnCalibration(const JfrEvent& event);
  void OnCounter(const JfrEvent& event);
  void OnSetting(const JfrEvent& event);

  Profile& profile_;
  double allocated_bytes_ = 0;  // 0: not known
};

}  // namespace jprof::profile
