// OpeningEvents: what every chunk says before its first sample, so that it can be read on its own:
// the recording and its settings, the machine, the JVM; in the first chunk the system properties
// too.
//
// Gather is slow (files, properties) and runs on the recorder's thread, attached to the JVM.
#pragma once

#include <jvmti.h>

#include <string>
#include <utility>
#include <vector>

#include "jvm/jvm_information.h"
#include "os/system_information.h"
#include "recording/jfr/event_settings.h"
#include "recording/recording_plan.h"

namespace jprof {

class JfrWriter;

class OpeningEvents {
 public:
  static OpeningEvents Gather(jvmtiEnv* jvmti, const RecordingPlan& plan);

  // Another file follows.
  void BeginFile() { settings_.BeginFile(); }

  // At the start of a chunk.
  void Write(JfrWriter& writer, const RecordingPlan& plan, Nanos now_ns);

 private:
  std::string os_version_;
  CpuInformation cpu_;
  JvmInformation jvm_;
  std::vector<std::pair<std::string, std::string>> properties_;
  EventSettings settings_;
};

}  // namespace jprof
