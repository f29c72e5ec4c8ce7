// OpeningEvents: the events that make a chunk readable on its own: the recording, the machine, the
// JVM; in the first chunk of a file also the system properties.
//
// The recorder's thread, attached to the JVM. The constructor is slow (files, properties).
#pragma once

#include <jvmti.h>

#include <string>
#include <utility>
#include <vector>

#include "chunks/chunk_participant.h"
#include "chunks/recording_plan.h"
#include "jvm/jvm_information.h"
#include "os/system_information.h"

namespace jprof {

class OpeningEvents final : public ChunkParticipant {
 public:
  // `plan` outlives the object.
  OpeningEvents(jvmtiEnv* jvmti, const RecordingPlan& plan);

  void AddSettings(EventSettings& settings) const override;
  void WriteOpening(JfrWriter& writer, Nanos now_ns) override;

 private:
  const RecordingPlan& plan_;
  const std::string os_version_;
  const CpuInformation cpu_;
  const JvmInformation jvm_;
  const std::vector<std::pair<std::string, std::string>> properties_;
  const std::string host_name_;
};

}  // namespace jprof
