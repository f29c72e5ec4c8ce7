#include "session/running_recording.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/agent_contract.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/output_place.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "libraries/loading_hook.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr int kFirstJdkWithCpuTimeSample = 25;  // JEP 509

// The file that the user knows: with loop=, the one of the moment.
std::string PathOf(const RecordingOutput& output, const RecordingSummary& summary) {
  return output.IsConverted() || summary.file.empty() ? output.path() : summary.file;
}

// Returns the line for a JVM that does not wait any longer.
std::string LateWarning(const RecordingOutput& output) {
  if (!output.IsConverted()) return "the JVM ends before the last chunk is in " + output.path();
  return "the JVM ends before " + output.path() + " is complete: jprof convert " +
         output.recording() + ' ' + output.path() + " makes it of what was written in time";
}

}  // namespace

Status RunningRecording::Begin() {
  if (MemoryIsShort()) return OutOfMemory();
  const Status begun = recorder_->Begin();
  if (!begun) return begun;
  Result<std::unique_ptr<ExitWatch>> watch = ExitWatch::Install(LateWarning(output_));
  if (watch) {
    exit_watch_ = std::move(watch).value();
  } else {
    Log::Info("an end by ExitOnOutOfMemoryError loses the open chunk: %s",
              watch.error().message().c_str());
  }
  return {};
}

Result<std::string> RunningRecording::CompleteOutput(
    const Result<RecordingSummary>& summary) const {
  if (summary) return output_.Complete(summary.value().file);
  return output_.Incomplete(summary.error(), output_.recording());
}

// On the recorder's thread, while a thread of the JVM waits.
void RunningRecording::CompleteBeforeExit(const Result<RecordingSummary>& summary, bool is_end) {
  if (!is_end) {
    if (summary) static_cast<void>(output_.Update(summary.value().file));
    return;
  }
  completed_ = CompleteOutput(summary);
  output_.ReleaseClaim();
  if (*completed_) {
    Log::Answer(ExitAnswer(summary.value(), PathOf(output_, summary.value())));
  } else {
    Log::ErrorLine("the JVM is ending, and %s is not complete: %s", output_.path().c_str(),
                   completed_->error().message().c_str());
  }
}

Result<AgentAnswer> RunningRecording::UpdateOutput(const Result<RecordingSummary>& summary) const {
  if (!summary) return summary.error();
  const Result<std::string> updated = output_.Update(summary.value().file);
  if (!updated) return updated.error();
  AgentAnswer answer = DumpAnswer(summary.value(), PathOf(output_, summary.value()));
  if (!updated.value().empty()) answer.notes.push_back(updated.value());
  return answer;
}

Result<std::string> RunningRecording::Force() {
  for (const auto& engine : engines_) {
    if (auto forced = engine->Force()) return *std::move(forced);
  }
  return Error("gc is for live objects, which this recording does not have: start it with live");
}

void RunningRecording::AwaitUnwindTablesFor(const Engine& engine) {
  if (walking_ != nullptr && engine.WantsUnwindTables()) walking_->AwaitTables();
}

// Puts the probes of all engines into their classes, with one stop of the program.
Status RunningRecording::StartProbed(std::span<const std::unique_ptr<Engine>> engines) {
  JNIEnv* const jni = jvm_.events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const Status probed = probes_.Run(jni);
  if (!probed) return probed;
  for (const auto& engine : engines) {
    const Status started = engine->StartsLast() ? Status() : engine->StartProbed(jni);
    if (!started) return started;
  }
  return {};
}

void RunningRecording::RestoreClasses() {
  // The notes name the classes that could not be restored.
  if (JNIEnv* const jni = jvm_.events.CurrentJni()) static_cast<void>(probes_.Run(jni));
}

// A chunk that cannot be written does not keep an engine from joining or leaving: the recording is
// tried again.
Status RunningRecording::Join(std::unique_ptr<Engine> engine) {
  participants_.Add(engine.get());
  static_cast<void>(recorder_->Dump());
  AwaitUnwindTablesFor(*engine);
  Status started = engine->Start();
  if (started) started = StartProbed({&engine, 1});
  if (!started) {
    StopEngine(std::move(engine));
    return started;
  }
  const std::lock_guard lock(engines_mutex_);
  engines_.push_back(std::move(engine));
  return {};
}

void RunningRecording::Leave(const Engine& engine) {
  std::unique_ptr<Engine> leaving;
  {
    const std::lock_guard lock(engines_mutex_);
    const auto found = std::ranges::find(engines_, &engine, &std::unique_ptr<Engine>::get);
    JPROF_CHECK(found != engines_.end());
    leaving = std::move(*found);
    engines_.erase(found);
  }
  StopEngine(std::move(leaving));
}

void RunningRecording::StopEngine(std::unique_ptr<Engine> engine) {
  const bool may_go = engine->Stop();
  RestoreClasses();
  participants_.Retire(engine.get());
  static_cast<void>(recorder_->Dump());
  participants_.Remove(engine.get());
  if (!may_go) KeepForEver(std::move(engine));
}

// Keeps what the engine may still use and the process does not keep anyway. The callbacks that may
// be inside use no ProbeRound.
void RunningRecording::KeepForEver(std::unique_ptr<Engine> engine) const {
  Log::Warn("a callback of the JVM has been inside an engine for seconds: it stays in memory");
  static auto* const kept =
      new std::vector<std::pair<std::unique_ptr<Engine>, std::shared_ptr<OffThreadSamples>>>;
  kept->emplace_back(std::move(engine), off_thread_);
}

// After this nothing of this recording runs in a handler. Engines stay: the recorder has not taken
// everything yet. By End, or where there is none by the destructor.
void RunningRecording::StopSampling() {
  if (std::exchange(has_stopped_, true)) return;
  watcher_.reset();
  thread_times_.Stop();
  jvm_.observation.Unhook();
  LoadingHook::OfProcess().End();
  for (const bool is_last : {true, false}) {
    for (const auto& engine : engines_) {
      if (engine->StartsLast() == is_last && !engine->Stop()) immortal_.push_back(engine.get());
    }
  }
  RestoreClasses();
  if (memory_ != nullptr) is_quiescent_ = memory_->Deactivate();
  walking_.reset();
  jvm_.observation.End();
  subscriptions_.clear();
}

void RunningRecording::FinishSampling() {
  StopSampling();
  if (!finished_) finished_ = recorder_->Finish();
}

Result<RunningRecording::Ended> RunningRecording::End() {
  FinishSampling();
  const Result<RecordingSummary>& summary = *finished_;
  const Result<std::string> completed = completed_ ? *completed_ : CompleteOutput(summary);
  exit_watch_.reset();
  if (!completed) return completed.error();
  std::string path = PathOf(output_, summary.value());
  std::string notice;
  if (lease_ != nullptr && !lease_->IsHeld()) {
    path = KeepUnfetched(path);
    if (lease_->keep_as() != kKeepNothing) {
      notice = "the recording before ended when its jprof record died: " + path + " holds it";
    }
  }
  Ended ended{StopAnswer(summary.value(), path), std::move(notice)};
  if (!completed.value().empty()) ended.answer.notes.push_back(completed.value());
  for (const auto& engine : engines_) {
    for (std::string& total : engine->Totals()) ended.answer.notes.push_back(std::move(total));
  }
  for (std::string& note : TakeNotes()) ended.answer.notes.push_back(std::move(note));
  for (std::string& note : NoSamplesNotes(summary.value(), requested_)) {
    ended.answer.notes.push_back(std::move(note));
  }
  for (std::string& note : GapNotes(summary.value())) {
    ended.answer.notes.push_back(std::move(note));
  }
  return ended;
}

// Nobody is left to fetch the recording, or to read the answer of its start. Answers with the path
// of the recording.
std::string RunningRecording::KeepUnfetched(const std::string& path) const {
  if (answer_file_) unlink(answer_file_->c_str());
  const std::string& keep_as = lease_->keep_as();
  if (keep_as == kKeepNothing) {
    static_cast<void>(RemoveOutput(path));  // an empty recording, or one of counts
    return path;
  }
  return keep_as.empty() ? path : RecordingOutput::Keep(path, keep_as);
}

std::vector<std::string> RunningRecording::TakeNotes() {
  std::vector<std::string> notes;
  if (!std::exchange(has_told_claim_, true) && !output_.claim().notice().empty()) {
    notes.push_back("note: " + output_.claim().notice());
  }
  for (const auto& engine : engines_) {
    for (std::string& note : engine->TakeNotes()) notes.push_back(std::move(note));
  }
  for (std::string& note : probes_.TakeNotes()) notes.push_back(std::move(note));
  return notes;
}

std::string RunningRecording::MethodTable(JNIEnv* jni) {
  std::string table;
  for (const auto& engine : engines_) table += engine->MethodTable(jni);
  return table;
}

RunningRecording::~RunningRecording() {
  StopSampling();
  recorder_.reset();
  if (!is_quiescent_) {
    Log::Warn(
        "a thread has been inside our signal handler for seconds: the memory of this recording is "
        "kept until the JVM ends");
    SamplingMemory::Abandon(std::move(memory_));
  }
  for (auto& engine : engines_) {
    const bool is_immortal = std::ranges::count(immortal_, engine.get()) != 0;
    if (is_immortal) KeepForEver(std::move(engine));
  }
  JNIEnv* const jni = jvm_.events.CurrentJni();
  JPROF_CHECK(jni != nullptr);
  jvm_.classes.Clear(jni);
}

SessionStatus::Recording RunningRecording::Describe() const {
  SessionStatus::Recording recording;
  for (const auto& engine : engines_) {
    recording.engines.push_back(engine->Description());
    for (std::string& line : engine->Totals()) recording.totals.push_back(std::move(line));
    if (const auto signal = engine->signal()) {
      recording.signals[static_cast<size_t>(signal->kind)] = signal->number;
    }
  }
  recording.has_virtual_threads =
      !jvm_.hotspot.virtual_threads || jvm_.hotspot.layout.tells_virtual_threads();
  recording.jvm_samples_by_sigprof = JdkRelease(jvm_.events.jvmti()) >= kFirstJdkWithCpuTimeSample;
  recording.summary = recorder_->Latest();
  for (const auto& engine : engines_) {
    const Engine::RecordedLater later = engine->Later();
    recording.summary.recorded[static_cast<size_t>(later.kind)] += later.samples;
  }
  recording.file = PathOf(output_, recording.summary);
  struct stat file;
  const bool exists = stat(recording.file.c_str(), &file) == 0;
  // Before the first chunk is complete, the file of an older recording is still at the path.
  if (exists && file.st_mtime >= start_time_) recording.file_bytes = file.st_size;
  recording.start_time = start_time_;
  recording.uptime_ns = MonotonicNanos() - start_ns_;
  recording.threads = jvm_.registry.Counts();
  recording.memory_bytes = memory_->ResidentBytes();
  return recording;
}

}  // namespace jprof
