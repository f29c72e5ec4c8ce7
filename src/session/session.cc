#include "session/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "os/fork_watch.h"
#include "session/jni_scope.h"
#include "session/other_agent.h"
#include "session/session_report.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

// The file that the user knows: with loop=, the one of the moment.
std::string PathOf(const RecordingOutput& output, const RecordingSummary& summary) {
  const bool converted = output.path() != output.recording();
  return converted || summary.file.empty() ? output.path() : summary.file;
}

constexpr int kFirstJdkWithCpuTimeSample = 25;  // JEP 509

}  // namespace

Status Session::Connect(JavaVM* vm) {
  // Before any lock: who holds it may be a thread of the parent's.
  if (InForkedChild()) {
    return Error(
        "this process was forked from a JVM and runs no Java: give the command to the JVM itself");
  }
  const std::lock_guard lock(mutex_);
  if (jvmti_ != nullptr) return {};
  const Status reserved = MemoryReserve::OfProcess().Prepare();
  if (!reserved) return reserved.error();
  const Status watched = WatchForks();
  if (!watched) return watched;
  Result<jvmtiEnv*> jvmti = JvmEvents::CreateEnvironment(vm, this);
  if (!jvmti) return jvmti.error();
  vm_ = vm;
  jvmti_ = jvmti.value();
  return {};
}

void Session::StartAtVmInit(Options options) { at_vm_init_ = std::move(options); }

Result<AgentAnswer> Session::Start(const Options& options) {
  const JniScope jni(vm_);
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending; nothing was started");
  EndAbandoned();
  return StartWith(options, jni.get());
}

Result<AgentAnswer> Session::StartWith(const Options& options, JNIEnv* jni) {
  const Status begun = state_.Begin(SessionAction::kStart);
  if (!begun) return Refusal(begun).error();
  // Joined when this start is over: their bodies may be waiting for that.
  const std::unique_ptr<StopTimer> old_timer = std::move(timer_);
  const std::unique_ptr<StopTimer> old_given_up = std::move(given_up_);
  Status set_up = Refusal({});
  const std::lock_guard lock(mutex_);
  if (set_up) set_up = SetUp(options, jni);
  if (!set_up) TearDown(jni);
  state_.End(set_up ? SessionPhase::kRunning : SessionPhase::kIdle);
  if (!set_up) return Error("cannot start: " + set_up.error().message());
  AgentAnswer answer{.text = StartLine(running_->engines, running_->output.path())};
  if (!notice_.empty()) answer.notes.push_back(std::exchange(notice_, std::string()));
  return answer;
}

// Says which recording it is about: ours, or that of another copy of the agent.
Status Session::Refusal(Status refused) {
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) {
    if (refused) return refused;
    return Error(refused.error().message() + " to " + running_->output.path() + " since " +
                 SinceText(running_->start_time, MonotonicNanos() - running_->start_ns) +
                 "; the command stop ends it");
  }
  const std::optional<std::string> other = OtherAgentAtWork();
  if (!other) return refused;
  return Error("another copy of the agent, " + *other +
               ", is recording in this JVM: give it the command, with jprof by --library " +
               *other);
}

Result<AgentAnswer> Session::Dump() {
  const Status begun = state_.Begin(SessionAction::kDump);
  if (!begun) return Refusal(begun).error();
  const RecordingOutput output = running_->output;
  const Result<RecordingSummary> summary = running_->recorder->Dump();
  const Result<std::string> updated =
      summary ? output.Update(summary.value().file) : Result<std::string>(summary.error());
  state_.End(SessionPhase::kRunning);
  if (!updated) return Error("cannot dump to " + output.path() + ": " + updated.error().message());
  AgentAnswer answer = DumpAnswer(summary.value(), PathOf(output, summary.value()));
  if (!updated.value().empty()) answer.notes.push_back(updated.value());
  return answer;
}

Result<AgentAnswer> Session::Stop() {
  const Status begun = state_.Begin(SessionAction::kStop);
  if (!begun) return Refusal(begun).error();
  // Its body may be waiting for this stop to end: it is joined by the next start.
  if (timer_ != nullptr) timer_->Cancel();
  return StopBegun();
}

void Session::StopByTimer(uint32_t session) {
  if (!state_.Begin(SessionAction::kStop)) return;
  if (sessions_ != session) {
    state_.End(SessionPhase::kRunning);
    return;
  }
  Log::Answer(StopBegun());
}

// On the recorder's thread, which a stop waits for: the stop is another's.
bool Session::StopSoon(uint32_t session) {
  Result<std::unique_ptr<StopTimer>> stop =
      StopTimer::Start(MonotonicNanos(), [this, session] { StopByTimer(session); });
  if (!stop) return false;
  jvm_->registry.Ignore(stop.value()->tid());
  given_up_ = std::move(stop).value();
  return true;
}

// A recording whose jprof record has died in this second: who asks for a new one need not wait.
void Session::EndAbandoned() {
  uint32_t session = 0;
  {
    const std::lock_guard lock(mutex_);
    if (running_ == nullptr || !running_->lease || running_->lease->IsHeld()) return;
    session = sessions_;
    if (timer_ != nullptr) timer_->Cancel();
  }
  StopByTimer(session);
}

// Where the result is: somewhere else than it was asked for, if nobody is left to fetch it.
// REQUIRES: mutex_ is held, running_ is there, its file is complete.
std::string Session::Completed(const std::string& path) {
  if (!running_->lease || running_->lease->IsHeld()) return path;
  if (running_->answer_file) unlink(running_->answer_file->c_str());
  const std::string& keep_as = running_->lease->keep_as();
  const std::string kept = keep_as.empty() ? path : RecordingOutput::Keep(path, keep_as);
  notice_ = "the recording before ended when its jprof record died: " + kept + " holds it";
  return kept;
}

Result<AgentAnswer> Session::StopBegun() {
  const std::lock_guard lock(mutex_);
  const JniScope jni(vm_);
  if (!jni) {
    state_.End(SessionPhase::kRunning);
    return Error("cannot attach to the JVM: it is ending");
  }
  StopSampling();
  const RecordingOutput output = running_->output;
  const Result<RecordingSummary> summary = running_->recorder->Finish();
  const Result<std::string> completed =
      summary ? output.Complete(summary.value().file)
              : Result<std::string>(output.Incomplete(summary.error(), output.recording()));
  const RequestedEvents requested = running_->requested;
  std::string path;
  if (completed) path = Completed(PathOf(output, summary.value()));
  TearDown(jni.get());
  state_.End(SessionPhase::kIdle);
  if (!completed) {
    return Error("stopped, but " + output.path() +
                 " is not complete: " + completed.error().message());
  }
  AgentAnswer answer = StopAnswer(summary.value(), path);
  if (!completed.value().empty()) answer.notes.push_back(completed.value());
  for (std::string& note : NoSamplesNotes(summary.value(), requested)) {
    answer.notes.push_back(std::move(note));
  }
  return answer;
}

std::string Session::StatusLines() {
  SessionStatus status;
  status.phase = state_.phase();
  const bool at_work =
      status.phase == SessionPhase::kRunning || status.phase == SessionPhase::kDumping;
  if (at_work) {
    const std::lock_guard lock(mutex_);
    if (running_ != nullptr) status.recording = Describe();
    status.phase = state_.phase();
  } else if (status.phase == SessionPhase::kIdle) {
    const std::lock_guard lock(mutex_);
    status.notice = notice_;
  }
  return StatusText(status);
}

// REQUIRES: mutex_ is held, running_ is there.
SessionStatus::Recording Session::Describe() const {
  SessionStatus::Recording recording;
  const Nanos now_ns = MonotonicNanos();
  for (const auto& engine : running_->engines) recording.engines.push_back(engine->Description());
  if (running_->cpu_choice.interval_ns != 0) recording.cpu_signal = running_->cpu_choice.signal;
  if (running_->sleepers != nullptr) recording.wall_signal = kWallSignal;
  recording.has_virtual_threads =
      !jvm_->hotspot.virtual_threads || jvm_->hotspot.layout.tells_virtual_threads();
  recording.jvm_samples_by_sigprof = JdkRelease(jvmti_) >= kFirstJdkWithCpuTimeSample;
  recording.summary = running_->recorder->Latest();
  recording.file = PathOf(running_->output, recording.summary);
  struct stat file;
  const bool exists = stat(recording.file.c_str(), &file) == 0;
  // Before the first chunk is complete, what an older recording left is still at the path.
  if (exists && file.st_mtime >= running_->start_time) recording.file_bytes = file.st_size;
  recording.start_time = running_->start_time;
  recording.uptime_ns = now_ns - running_->start_ns;
  if (timer_ != nullptr) {
    recording.time_left_ns = std::max<Nanos>(timer_->deadline_ns() - now_ns, 0);
  }
  recording.threads = jvm_->registry.Counts();
  recording.memory_bytes = running_->memory->ResidentBytes();
  return recording;
}

// After this nothing of this session runs in a handler.
void Session::StopSampling() {
  running_->watcher.reset();
  if (jvm_ != nullptr) jvm_->registry.ExpectNativeEnds(NativeEnds::kSilent);
  {
    const std::lock_guard lock(hook_mutex_);
    hook_.reset();
  }
  running_->engines.clear();
  if (running_->memory != nullptr) running_->quiescent = running_->memory->Deactivate();
  running_->walking.reset();
  JvmEvents::Disable(jvmti_);
}

// Also after a start that failed at any point.
void Session::TearDown(JNIEnv* jni) {
  if (running_ == nullptr) return;
  StopSampling();
  running_->recorder.reset();
  if (!running_->quiescent) {
    Log::Warn(
        "a thread has been inside our signal handler for seconds: the memory of this recording is "
        "kept until the JVM ends");
    SamplingMemory::Abandon(std::move(running_->memory));
  }
  jvm_->classes.Clear(jni);
  running_.reset();
}

void Session::OnVmInit(JNIEnv* jni) {
  if (!at_vm_init_) return;
  const Result<AgentAnswer> started = StartWith(*std::exchange(at_vm_init_, std::nullopt), jni);
  if (started) {
    Log::Answer(started);
  } else {
    Log::ErrorLine("%s; the program runs unprofiled", started.error().message().c_str());
  }
}

// A start or a dump that is under way ends first; a stop that came before has done it all.
void Session::OnVmDeath() {
  if (!state_.Begin(SessionAction::kStop)) return;
  if (timer_ != nullptr) timer_->Cancel();
  Log::Answer(StopBegun());
}

// The callbacks below run between JvmEvents::Enable and Disable, and a late one after: what they
// use lives as long as the process.
void Session::OnThreadStart(JNIEnv* jni, jthread thread) {
  jvm_->registry.OnJavaThreadStart(jni, jvm_->java_threads.Describe(jni, thread));
}

void Session::OnThreadEnd() { jvm_->registry.OnJavaThreadEnd(); }

// A library whose native method is being bound may create threads in it.
void Session::OnNativeMethodBind() {
  const std::lock_guard lock(hook_mutex_);
  if (hook_ != nullptr) hook_->CoverNewLibraries();
}

void Session::OnClassPrepare(JNIEnv* jni, jclass prepared) {
  jvm_->classes.Add(jvmti_, jni, prepared);
}

void Session::OnGarbageCollectionStart() { jvm_->gc_pauses.OnStart(); }

void Session::OnGarbageCollectionFinish() { jvm_->gc_pauses.OnFinish(); }

void Session::OnCodeGenerated(const char* name, const void* start, jint size) {
  if (name == nullptr || size <= 0) return;
  jvm_->stubs.Add(reinterpret_cast<uint64_t>(start), static_cast<uint64_t>(size), name);
}

}  // namespace jprof
