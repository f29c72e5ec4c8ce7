#include "recording/opening_events.h"

#include "base/duration_text.h"
#include "recording/jfr/jfr_writer.h"
#include "recording/load_events.h"
#include "recording/sample_events.h"

namespace jprof {
namespace {

void AddPeriodic(EventSettings& settings, JfrType event, Nanos period_ns) {
  settings.Enable(event);
  settings.Set(event, "period", DurationText(period_ns));
}

EventSettings SettingsOf(const RecordingPlan& plan) {
  EventSettings settings;
  for (const SampleKindRow& row : kSampleKinds) {
    if (plan.samples[row.kind].enabled()) EventsOf(row.kind).add_settings(plan, settings);
  }
  if (!plan.virtual_threads.empty()) {
    settings.Set(JfrType::kExecutionSample, "virtualThreads", plan.virtual_threads);
  }
  for (const JfrType always :
       {JfrType::kActiveRecording, JfrType::kActiveSetting, JfrType::kOSInformation,
        JfrType::kCPUInformation, JfrType::kJVMInformation, JfrType::kInitialSystemProperty,
        JfrType::kNativeLibrary, JfrType::kDataLoss, JfrType::kThreadStart, JfrType::kThreadEnd,
        JfrType::kGarbageCollection, JfrType::kGCHeapSummary, JfrType::kSampleCount,
        JfrType::kProfilerTime, JfrType::kProfilerMemory, JfrType::kCounter}) {
    settings.Enable(always);
  }
  AddPeriodic(settings, JfrType::kCPULoad, LoadEvents::kCpuPeriod);
  AddPeriodic(settings, JfrType::kThreadCPULoad, LoadEvents::kThreadPeriod);
  AddPeriodic(settings, JfrType::kResidentSetSize, LoadEvents::kThreadPeriod);
  return settings;
}

}  // namespace

OpeningEvents OpeningEvents::Gather(jvmtiEnv* jvmti, const RecordingPlan& plan) {
  OpeningEvents events;
  events.os_version_ = OsVersionText();
  events.cpu_ = ReadCpuInformation();
  events.jvm_ = ReadJvmInformation(jvmti, *plan.vm);
  events.properties_ = ReadSystemProperties(jvmti);
  events.settings_ = SettingsOf(plan);
  return events;
}

void OpeningEvents::Write(JfrWriter& writer, const RecordingPlan& plan, Nanos now_ns) {
  constexpr Nanos kNanosPerMilli = 1'000'000;
  ActiveRecording recording;
  recording.time_ns = now_ns;
  recording.name = "jprof";
  recording.destination = writer.path();
  recording.max_age_ms = plan.max_age_ns / kNanosPerMilli;
  recording.max_size_bytes = plan.max_bytes;
  recording.recording_start_epoch_ms = writer.clock().start_epoch_ns / kNanosPerMilli;
  writer.Append(recording);
  settings_.WriteTo(writer, now_ns);
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
