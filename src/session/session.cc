#include "session/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/output_place.h"
#include "engines/cpu_engine.h"
#include "engines/wall_engine.h"
#include "formats/convert.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/signal_checks.h"
#include "os/fork_watch.h"
#include "session/jni_scope.h"
#include "session/options/file_pattern.h"
#include "session/other_agent.h"
#include "session/session_report.h"
#include "session/watcher_choice.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/stack/stack_mode.h"

namespace jprof {
namespace {

Result<std::string> AbsolutePath(const std::string& pattern, uint32_t number) {
  FilePatternContext context = FilePatternContext::OfThisProcess();
  context.number = number;
  Result<std::string> expanded = ExpandFilePattern(pattern, context);
  if (!expanded) return expanded.error();
  std::string path = std::move(expanded).value();
  if (path.front() == '/') return path;
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) return Error::FromErrno("getcwd", path);
  return std::string(folder) + '/' + path;
}

// Said at the start, not when there is something to write.
Status CheckOutput(const std::string& path) {
  if (!FormatOfPath(path) && !IsRecordingPath(path)) {
    return Error("the name of '" + path + "' says no known format: end it with " +
                 OutputExtensions());
  }
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  return place ? Status() : place.error();
}

// The file that the user knows: with loop=, the one of the moment.
std::string PathOf(const RecordingOutput& output, const RecordingSummary& summary) {
  const bool converted = output.path() != output.recording();
  return converted || summary.file.empty() ? output.path() : summary.file;
}

SwitchSource JvmProperty(jvmtiEnv* jvmti) {
  return [jvmti](const char* name) -> std::optional<std::string> {
    JvmtiPtr<char> value(jvmti);
    if (jvmti->GetSystemProperty(name, value.out()) != JVMTI_ERROR_NONE) return std::nullopt;
    return std::string(value.get());
  };
}

std::optional<std::string> EnvironmentVariable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

constexpr int kFirstJdkWithCpuTimeSample = 25;  // JEP 509

// As the recording says it.
std::string SamplesOfVirtualThreads(const Result<VirtualThreadLayout>& layout) {
  if (!layout) return "sampled as their carriers: " + layout.error().message();
  return layout.value().exists() ? "sampled as themselves" : "";
}

StackMode ModeOf(StackWalker walker) {
  switch (walker) {
    case StackWalker::kVm:
      return StackMode::kVm;
    case StackWalker::kVmx:
      return StackMode::kVmx;
    case StackWalker::kFp:
      return StackMode::kFp;
    case StackWalker::kNo:
      return StackMode::kNo;
    case StackWalker::kAgct:
      break;
  }
  return StackMode::kAgct;
}

}  // namespace

Status Session::Connect(JavaVM* vm) {
  // Before any lock: who holds it may be a thread of the parent's.
  if (InForkedChild()) {
    return Error("this process was forked from the JVM, which is another: give the command there");
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

Result<std::string> Session::Start(const Options& options) {
  const JniScope jni(vm_);
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending; nothing was started");
  EndAbandoned();
  return StartWith(options, jni.get());
}

Result<std::string> Session::StartWith(const Options& options, JNIEnv* jni) {
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
  std::string answer = StartLine(running_->engines, running_->output.path());
  if (!notice_.empty()) answer += '\n' + std::exchange(notice_, std::string());
  return answer;
}

// Says which recording it is about: ours, or that of another copy of the agent.
Status Session::Refusal(Status refused) {
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) {
    return refused ? refused
                   : Error(refused.error().message() + " (to " + running_->output.path() + ")");
  }
  const std::optional<std::string> other = OtherAgentAtWork();
  if (!other) return refused;
  return Error("another copy of the agent, " + *other +
               ", is recording in this JVM: give the command to that one");
}

Status Session::SetUp(const Options& options, JNIEnv* jni) {
  if (const Status reserved = MemoryReserve::OfProcess().Prepare(); !reserved) return reserved;
  CpuChoice cpu_choice;
  if (options.cpu_interval_ns) {
    Result<CpuChoice> chosen = ChooseCpuTrigger(
        {options.cpu_trigger, *options.cpu_interval_ns, options.kernel_frames, options.cpu_signal});
    if (!chosen) return chosen.error();
    cpu_choice = std::move(chosen).value();
  }
  if (options.wall_interval_ns) {
    if (const Status possible = WallEngine::CheckSignal(); !possible) return possible;
  }
  if (jvm_ == nullptr) {
    Result<JvmConnection*> jvm = JvmConnection::Make(jvmti_, jni);
    if (!jvm) return jvm.error();
    jvm_ = jvm.value();
  }
  Result<std::string> path = AbsolutePath(options.file.value(), 1);
  if (!path) return path.error();
  const Status usable = CheckOutput(path.value());
  if (!usable) return usable;
  if (options.loop_ns && FormatOfPath(path.value())) {
    return Error("loop= needs a recording: " + path.value() + " is made of one at its end");
  }
  running_ = std::make_unique<Running>(std::move(path).value());
  running_->cpu_choice = std::move(cpu_choice);
  if (options.lease_file) {
    Result<CallerLease> lease = CallerLease::Open(*options.lease_file);
    if (!lease) return lease.error();
    running_->lease = std::make_shared<const CallerLease>(std::move(lease).value());
    running_->answer_file = options.answer_file;
  }
  Status done = StartRecorder(options);
  if (done) done = ObserveThreadsAndClasses(options, jni);
  if (done) done = StartEngines(options);
  if (done && (options.timeout_ns || options.lease_file)) done = StartTimer(options.timeout_ns);
  if (done && MemoryIsShort()) done = OutOfMemory();
  // The last step: a start that fails leaves the file of the recording before as it was.
  if (done) done = running_->recorder->Begin();
  if (!done && timer_ != nullptr) timer_->Cancel();
  return done;
}

Status Session::StartRecorder(const Options& options) {
  Result<std::unique_ptr<SamplingMemory>> memory = SamplingMemory::Reserve(
      {++sessions_, options.cpu_interval_ns.value_or(0), options.wall_interval_ns.value_or(0),
       static_cast<uint32_t>(options.max_depth), static_cast<uint32_t>(options.root_depth),
       static_cast<size_t>(options.memory_bytes), options.priming},
      jvm_->records.records());
  if (!memory) return memory.error();
  running_->memory = std::move(memory).value();
  jvm_->records.KeepAhead();
  jvm_->registry.Begin(options.filter);
  jvm_->registry.Ignore(running_->memory->traces().keeper());

  if (options.wall_interval_ns) {
    running_->sleepers =
        std::make_unique<WallThreads>(running_->outside, *options.wall_interval_ns);
  }

  RecordingPlan plan;
  plan.cpu_engine = running_->cpu_choice.text;
  plan.path = running_->output.recording();
  plan.cpu_interval_ns = options.cpu_interval_ns.value_or(0);
  plan.wall_interval_ns = options.wall_interval_ns.value_or(0);
  plan.chunk_time_ns = options.chunk_time_ns;
  plan.chunk_bytes = options.chunk_bytes;
  plan.vm = &jvm_->structs.statics;
  plan.virtual_threads = SamplesOfVirtualThreads(jvm_->virtual_threads);
  plan.file_time_ns = options.loop_ns.value_or(0);
  plan.max_age_ns = options.max_age_ns.value_or(0);
  plan.max_bytes = options.max_bytes.value_or(0);
  plan.stop_soon = [this, session = sessions_] { return StopSoon(session); };
  plan.path_of = [pattern = *options.file](uint32_t number) {
    return AbsolutePath(pattern, number);
  };
  Result<std::unique_ptr<Recorder>> recorder = Recorder::Start(
      {vm_, jvmti_, running_->memory->traces(), running_->memory->samples(), running_->outside,
       running_->engine_counts, running_->sleepers.get(), jvm_->records.records(), jvm_->registry,
       jvm_->java_threads, jvm_->classes, running_->memory->sample_pages(),
       running_->memory->names(), jvm_->gc_pauses, jvm_->stubs},
      std::move(plan));
  if (!recorder) return recorder.error();
  running_->recorder = std::move(recorder).value();
  return {};
}

// Events first, then what is there already: nothing falls between.
Status Session::ObserveThreadsAndClasses(const Options& options, JNIEnv* jni) {
  const Status enabled = JvmEvents::Enable(jvmti_, options.priming);
  if (!enabled) return enabled;
  const Status classes = jvm_->classes.AddLoaded(jvmti_, jni);
  if (!classes) return classes;
  if (options.priming.Has(PrimingPath::kHook)) HookNativeThreads();
  if (options.priming.Has(PrimingPath::kScan)) {
    const Status scanned = jvm_->registry.Rescan();
    if (!scanned) return scanned;
  }
  if (!options.priming.Has(PrimingPath::kJvmti)) return {};
  std::string missing;
  for (JavaThreads::Existing& thread : jvm_->java_threads.All(jni, &missing)) {
    jvm_->registry.SetJavaThread(thread.tid, thread.jni_env, std::move(thread.info), thread.stack);
  }
  if (!missing.empty()) {
    Log::Warn("threads that exist already have no Java stacks: %s", missing.c_str());
  }
  return {};
}

// Without it native threads are found by the task watcher.
void Session::HookNativeThreads() {
  Result<std::unique_ptr<PthreadHook>> hook = PthreadHook::Install(&jvm_->registry, kEngineSignals);
  if (!hook) {
    Log::Debug("new native threads are found late: %s", hook.error().message().c_str());
    return;
  }
  {
    const std::lock_guard lock(hook_mutex_);
    hook_ = std::move(hook).value();
  }
  jvm_->registry.ExpectNativeEnds(NativeEnds::kAnnounced);
}

void Session::ChooseWalker(const Options& options) {
  SetStackMode(ModeOf(options.walker));
  if (options.walker == StackWalker::kAgct) return;
  Status possible = jvm_->layout ? Status() : jvm_->layout.error();
  if (possible && JvmChecksSignalHandlers(jvm_->structs)) {
    possible = Error(
        "-Xcheck:jni watches over the signal handlers: with -XX:+AllowUserSignalHandlers, or "
        "libjsig.so preloaded, it does not");
  }
  if (possible) {
    Result<std::unique_ptr<VmWalking>> walking = VmWalking::Begin(jvm_->layout.value());
    if (walking) {
      running_->walking = std::move(walking).value();
      jvm_->registry.Ignore(running_->walking->tid());
      return;
    }
    possible = walking.error();
  }
  SetStackMode(StackMode::kAgct);
  Log::Warn("stacks are walked by AsyncGetCallTrace: %s", possible.error().message().c_str());
}

Status Session::StartEngines(const Options& options) {
  const std::optional<int64_t> env_offset = jvm_->java_threads.env_offset();
  Sampling().vm = env_offset ? &jvm_->structs.layout : nullptr;
  Sampling().env_offset = env_offset.value_or(0);
  ChooseWalker(options);
  running_->memory->Activate();
  if (options.cpu_interval_ns) {
    Result<std::unique_ptr<Engine>> cpu = CpuEngine::Start(
        jvm_->registry, running_->outside, running_->cpu_choice, &running_->engine_counts);
    if (!cpu) return cpu.error();
    running_->engines.push_back(std::move(cpu).value());
  }
  if (options.wall_interval_ns) {
    // A thread that sleeps is asked once, and keeps the stack that it had then.
    if (running_->walking) running_->walking->AwaitTables();
    Result<std::unique_ptr<Engine>> wall =
        WallEngine::Start(jvm_->registry, *running_->sleepers, *options.wall_interval_ns);
    if (!wall) return wall.error();
    running_->engines.push_back(std::move(wall).value());
  }
  if (!options.priming.Has(PrimingPath::kWatcher)) return {};
  if (!WantsTaskWatcher(options.task_watcher, JvmProperty(jvmti_), EnvironmentVariable)) return {};
  Result<std::unique_ptr<TaskWatcher>> watcher =
      TaskWatcher::Start(jvm_->registry, &jvm_->records, hook_.get(), [this] {
        for (const auto& engine : running_->engines) engine->LookAtThreads();
      });
  if (!watcher) return watcher.error();
  running_->watcher = std::move(watcher).value();
  return {};
}

// The timer's thread may want to stop before the start is over: state_ makes it wait.
Status Session::StartTimer(std::optional<Nanos> timeout_ns) {
  const Nanos deadline_ns =
      timeout_ns ? running_->start_ns + *timeout_ns : std::numeric_limits<Nanos>::max();
  std::function<bool()> is_abandoned;
  if (running_->lease) {
    is_abandoned = [lease = running_->lease] { return !lease->IsHeld(); };
  }
  Result<std::unique_ptr<StopTimer>> timer = StopTimer::Start(
      deadline_ns, [this, session = sessions_] { StopByTimer(session); }, is_abandoned);
  if (!timer) return timer.error();
  timer_ = std::move(timer).value();
  jvm_->registry.Ignore(timer_->tid());
  return {};
}

Result<std::string> Session::Dump() {
  const Status begun = state_.Begin(SessionAction::kDump);
  if (!begun) return Refusal(begun).error();
  const RecordingOutput output = running_->output;
  const Result<RecordingSummary> summary = running_->recorder->Dump();
  const Status updated = summary ? output.Update(summary.value().file) : summary.error();
  state_.End(SessionPhase::kRunning);
  if (!updated) return Error("cannot dump to " + output.path() + ": " + updated.error().message());
  return DumpLine(summary.value(), PathOf(output, summary.value()));
}

Result<std::string> Session::Stop() {
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

Result<std::string> Session::StopBegun() {
  const std::lock_guard lock(mutex_);
  const JniScope jni(vm_);
  if (!jni) {
    state_.End(SessionPhase::kRunning);
    return Error("cannot attach to the JVM: it is ending");
  }
  StopSampling();
  const RecordingOutput output = running_->output;
  const Result<RecordingSummary> summary = running_->recorder->Finish();
  const Status completed = summary ? output.Complete(summary.value().file)
                                   : output.Incomplete(summary.error(), output.recording());
  std::string path;
  if (completed) path = Completed(PathOf(output, summary.value()));
  TearDown(jni.get());
  state_.End(SessionPhase::kIdle);
  if (!completed) {
    return Error("stopped, but " + output.path() +
                 " is not complete: " + completed.error().message());
  }
  return StopLine(summary.value(), path);
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
  recording.jvm_samples_by_sigprof = JdkRelease(jvmti_) >= kFirstJdkWithCpuTimeSample;
  recording.summary = running_->recorder->Latest();
  recording.file = PathOf(running_->output, recording.summary);
  struct stat file;
  const bool exists = stat(recording.file.c_str(), &file) == 0;
  // Before the first chunk is complete, what an older recording left is still at the path.
  if (exists && file.st_mtime >= running_->start_time) recording.file_bytes = file.st_size;
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
    Log::Warn("a thread has been inside a signal handler for seconds: its memory is kept for it");
    SamplingMemory::Abandon(std::move(running_->memory));
  }
  jvm_->classes.Clear(jni);
  running_.reset();
}

void Session::OnVmInit(JNIEnv* jni) {
  if (!at_vm_init_) return;
  const Result<std::string> started = StartWith(*std::exchange(at_vm_init_, std::nullopt), jni);
  if (started) {
    Log::Info("%s", started.value().c_str());
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
