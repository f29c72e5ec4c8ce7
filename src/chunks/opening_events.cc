#include "chunks/opening_events.h"

#include "base/version.h"

namespace jprof {

OpeningEvents::OpeningEvents(jvmtiEnv* jvmti, const RecordingPlan& plan)
    : plan_(plan),
      os_version_(OsVersionText()),
      cpu_(ReadCpuInformation()),
      jvm_(ReadJvmInformation(jvmti, *plan.vm)),
      properties_(ReadSystemProperties(jvmti)),
      host_name_(HostName()) {}

void OpeningEvents::AddSettings(EventSettings& settings) const {
  for (const JfrType event :
       {JfrType::kActiveRecording, JfrType::kActiveSetting, JfrType::kOSInformation,
        JfrType::kCPUInformation, JfrType::kJVMInformation, JfrType::kInitialSystemProperty,
        JfrType::kDataLoss, JfrType::kClassSource}) {
    settings.Enable(event);
  }
  settings.Set(JfrType::kActiveRecording, "jprof", JprofVersion());
  if (!host_name_.empty()) settings.Set(JfrType::kJVMInformation, "host", host_name_);
  if (!plan_.virtual_threads.empty()) {
    settings.Set(JfrType::kExecutionSample, "virtualThreads", plan_.virtual_threads);
  }
}

void OpeningEvents::WriteOpening(JfrWriter& writer, Nanos now_ns) {
  constexpr Nanos kNanosPerMilli = 1'000'000;
  ActiveRecording recording;
  recording.time_ns = now_ns;
  recording.id = 1;
  recording.disk = true;
  recording.name = "jprof";
  recording.destination = writer.path();
  recording.max_age_ms = plan_.max_age_ns / kNanosPerMilli;
  recording.max_size_bytes = plan_.max_bytes;
  recording.recording_start_epoch_ms = writer.clock().start_epoch_ns / kNanosPerMilli;
  writer.Append(recording);
  writer.Append(OSInformation{now_ns, os_version_});
  writer.Append(CPUInformation{now_ns, cpu_.model, cpu_.description, cpu_.sockets, cpu_.cores,
                               cpu_.hardware_threads});
  writer.Append(JVMInformation{now_ns, jvm_.jvm_name, jvm_.jvm_version, jvm_.jvm_arguments,
                               jvm_.jvm_flags, jvm_.java_arguments, jvm_.start_epoch_ms, jvm_.pid});
  if (writer.sealed_chunks() != 0) return;
  for (const auto& [key, value] : properties_) {
    writer.Append(InitialSystemProperty{now_ns, key, value});
  }
}

}  // namespace jprof
