// The start: what a recording is made of, in the order in which it begins.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "engines/cpu_engine.h"
#include "engines/wall_engine.h"
#include "formats/convert.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/signal_checks.h"
#include "session/session.h"
#include "session/session_report.h"
#include "session/watcher_choice.h"
#include "sigsafe/os/clock.h"
#include "stack/walk_environments.h"

namespace jprof {
namespace {

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

// As the recording says it.
std::string SamplesOfVirtualThreads(const HotspotReading& hotspot) {
  const Status& known = hotspot.virtual_threads;
  if (!known) return "sampled as their carriers: " + known.error().message();
  return hotspot.layout.tells_virtual_threads() ? "sampled as themselves" : "";
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

void SetStackMode(StackMode mode) {
  ChangeWalkEnvironment([mode](WalkEnvironment& next) { next.mode = mode; });
}

Result<CpuChoice> ChosenFor(const Options& options) {
  if (!options.cpu_interval_ns) return CpuChoice{};
  return ChooseCpuTrigger(
      {options.cpu_trigger, *options.cpu_interval_ns, options.kernel_frames, options.cpu_signal});
}

}  // namespace

Status Session::SetUp(const Options& options, JNIEnv* jni) {
  if (const Status reserved = MemoryReserve::OfProcess().Prepare(); !reserved) return reserved;
  Result<CpuChoice> cpu_choice = ChosenFor(options);
  if (!cpu_choice) return cpu_choice.error();
  if (options.wall_interval_ns) {
    if (const Status possible = WallEngine::CheckSignal(); !possible) return possible;
  }
  if (jvm_ == nullptr) {
    Result<JvmConnection*> jvm = JvmConnection::Make(jvmti_, jni);
    if (!jvm) return jvm.error();
    jvm_ = jvm.value();
  }
  Result<std::string> path = AbsoluteOutputPath(options.file.value(), 1);
  if (!path) return path.error();
  const Status usable = RecordingOutput::CheckPath(path.value());
  if (!usable) return usable;
  if (options.loop_ns && FormatOfPath(path.value())) {
    return Error("a loop writes .jfr files: the name of '" + path.value() +
                 "' says another format");
  }
  running_ = std::make_unique<Running>(std::move(path).value());
  running_->cpu_choice = std::move(cpu_choice).value();
  running_->requested = {options.cpu_interval_ns.value_or(0), options.wall_interval_ns.value_or(0),
                         options.filter.text()};
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
  plan.wall_is_first = options.wall_is_first;
  plan.filter = options.filter.text();
  plan.chunk_time_ns = options.chunk_time_ns;
  plan.chunk_bytes = options.chunk_bytes;
  plan.vm = &jvm_->structs.statics;
  plan.virtual_threads = SamplesOfVirtualThreads(jvm_->hotspot);
  plan.file_time_ns = options.loop_ns.value_or(0);
  plan.max_age_ns = options.max_age_ns.value_or(0);
  plan.max_bytes = options.max_bytes.value_or(0);
  plan.stop_soon = [this, session = sessions_] { return StopSoon(session); };
  plan.path_of = [pattern = *options.file](uint32_t number) {
    return AbsoluteOutputPath(pattern, number);
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
  jvm_->registry.EndJavaThreadList();
  if (!missing.empty()) {
    Log::Warn("threads that were there before the recording have no Java stacks: %s",
              missing.c_str());
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
  Status possible = jvm_->hotspot.walk;
  if (possible && JvmChecksSignalHandlers(jvm_->structs)) {
    possible = Error(
        "-Xcheck:jni watches over the signal handlers: with -XX:+AllowUserSignalHandlers, or "
        "libjsig.so preloaded, it does not");
  }
  if (possible) {
    Result<std::unique_ptr<VmWalking>> walking = VmWalking::Begin();
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

}  // namespace jprof
