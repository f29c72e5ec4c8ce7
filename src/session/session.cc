#include "session/session.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "engines/cpu_engine.h"
#include "engines/wall_engine.h"
#include "jvm/jvmti_ptr.h"
#include "session/jni_scope.h"
#include "session/options/file_pattern.h"
#include "session/session_report.h"
#include "session/watcher_choice.h"

namespace jprof {
namespace {

Result<std::string> AbsolutePath(const std::string& pattern) {
  Result<std::string> expanded = ExpandFilePattern(pattern, FilePatternContext::OfThisProcess());
  if (!expanded) return expanded.error();
  std::string path = std::move(expanded).value();
  if (path.front() == '/') return path;
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) return Error::FromErrno("getcwd", path);
  return std::string(folder) + '/' + path;
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

}  // namespace

Status Session::Connect(JavaVM* vm) {
  const std::lock_guard lock(mutex_);
  if (jvmti_ != nullptr) return {};
  Result<jvmtiEnv*> jvmti = JvmEvents::CreateEnvironment(vm, this);
  if (!jvmti) return jvmti.error();
  vm_ = vm;
  jvmti_ = jvmti.value();
  return {};
}

void Session::StartAtVmInit(Options options) { at_vm_init_ = std::move(options); }

Result<std::string> Session::Start(const Options& options) {
  const std::lock_guard lock(mutex_);
  const JniScope jni(vm_);
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending; nothing was started");
  return StartLocked(options, jni.get());
}

Result<std::string> Session::StartLocked(const Options& options, JNIEnv* jni) {
  if (running_ != nullptr) {
    return Error("already recording to " + running_->path + ": stop it first, or let it go on");
  }
  const Status set_up = SetUp(options, jni);
  if (!set_up) {
    TearDown(jni);
    return Error("cannot start: " + set_up.error().message());
  }
  return StartLine(running_->engines, running_->path);
}

Status Session::SetUp(const Options& options, JNIEnv* jni) {
  if (jvm_ == nullptr) {
    Result<JvmConnection*> jvm = JvmConnection::Make(jvmti_, jni);
    if (!jvm) return jvm.error();
    jvm_ = jvm.value();
  }
  Result<std::string> path = AbsolutePath(options.file.value());
  if (!path) return path.error();
  running_ = std::make_unique<Running>();
  running_->path = path.value();

  Result<std::unique_ptr<SamplingMemory>> memory = SamplingMemory::Reserve(
      {++sessions_, options.cpu_interval_ns.value_or(0), options.wall_interval_ns.value_or(0),
       static_cast<uint32_t>(options.max_depth), static_cast<size_t>(options.memory_bytes)},
      jvm_->records);
  if (!memory) return memory.error();
  running_->memory = std::move(memory).value();
  jvm_->registry.Ignore(running_->memory->traces().keeper());

  RecordingPlan plan;
  plan.path = running_->path;
  plan.cpu_interval_ns = options.cpu_interval_ns.value_or(0);
  plan.wall_interval_ns = options.wall_interval_ns.value_or(0);
  plan.chunk_time_ns = options.chunk_time_ns;
  plan.chunk_bytes = options.chunk_bytes;
  plan.vm = &jvm_->structs.statics;
  Result<std::unique_ptr<Recorder>> recorder =
      Recorder::Start({vm_, jvmti_, running_->memory->traces(), running_->memory->samples(),
                       jvm_->records, jvm_->registry, jvm_->classes},
                      std::move(plan));
  if (!recorder) return recorder.error();
  running_->recorder = std::move(recorder).value();

  const Status observed = ObserveThreadsAndClasses(options, jni);
  return observed ? StartEngines(options) : observed;
}

// Events first, then what is there already: nothing falls between.
Status Session::ObserveThreadsAndClasses(const Options& options, JNIEnv* jni) {
  const Status enabled = JvmEvents::Enable(jvmti_);
  if (!enabled) return enabled;
  const Status classes = jvm_->classes.AddLoaded(jvmti_, jni);
  if (!classes) return classes;
  jvm_->registry.SetFilter(options.filter);
  const Status scanned = jvm_->registry.Rescan();
  if (!scanned) return scanned;
  std::string missing;
  for (JavaThreads::Existing& thread : jvm_->java_threads.All(jni, &missing)) {
    jvm_->registry.SetJavaThread(thread.tid, thread.jni_env, std::move(thread.info));
  }
  if (!missing.empty()) {
    Log::Warn("threads that exist already have no Java stacks: %s", missing.c_str());
  }
  return {};
}

Status Session::StartEngines(const Options& options) {
  running_->memory->Activate();
  if (options.cpu_interval_ns) {
    Result<std::unique_ptr<Engine>> cpu =
        CpuEngine::Start(jvm_->registry, *options.cpu_interval_ns);
    if (!cpu) return cpu.error();
    running_->engines.push_back(std::move(cpu).value());
  }
  if (options.wall_interval_ns) {
    Result<std::unique_ptr<Engine>> wall =
        WallEngine::Start(jvm_->registry, *options.wall_interval_ns);
    if (!wall) return wall.error();
    running_->engines.push_back(std::move(wall).value());
  }
  if (!WantsTaskWatcher(options.task_watcher, JvmProperty(jvmti_), EnvironmentVariable)) return {};
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(jvm_->registry);
  if (!watcher) return watcher.error();
  running_->watcher = std::move(watcher).value();
  return {};
}

Result<std::string> Session::Stop() {
  const std::lock_guard lock(mutex_);
  if (running_ == nullptr) return Error("nothing is being recorded: there is nothing to stop");
  const JniScope jni(vm_);
  if (!jni) return Error("cannot attach to the JVM: it is ending");
  StopSampling();
  const std::string path = running_->path;
  const Result<RecordingSummary> summary = running_->recorder->Finish();
  TearDown(jni.get());
  if (!summary) {
    return Error("stopped, but " + path + " is not complete: " + summary.error().message());
  }
  return StopLine(summary.value(), path);
}

// After this nothing of this session runs in a handler.
void Session::StopSampling() {
  running_->watcher.reset();
  running_->engines.clear();
  if (running_->memory != nullptr) running_->quiescent = running_->memory->Deactivate();
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
  const std::lock_guard lock(mutex_);
  const Result<std::string> started = StartLocked(*std::exchange(at_vm_init_, std::nullopt), jni);
  if (started) {
    Log::Info("%s", started.value().c_str());
  } else {
    Log::ErrorLine("%s; the program runs unprofiled", started.error().message().c_str());
  }
}

void Session::OnVmDeath() {
  {
    const std::lock_guard lock(mutex_);
    if (running_ == nullptr) return;
  }
  const Result<std::string> stopped = Stop();
  if (stopped) {
    Log::Info("%s", stopped.value().c_str());
  } else {
    Log::ErrorLine("%s", stopped.error().message().c_str());
  }
}

// The callbacks below run between JvmEvents::Enable and Disable, and a late one after: what they
// use lives as long as the process.
void Session::OnThreadStart(JNIEnv* jni, jthread thread) {
  jvm_->registry.OnJavaThreadStart(jni, jvm_->java_threads.Describe(jni, thread));
}

void Session::OnThreadEnd() { jvm_->registry.OnJavaThreadEnd(); }

void Session::OnClassPrepare(JNIEnv* jni, jclass prepared) {
  jvm_->classes.Add(jvmti_, jni, prepared);
}

}  // namespace jprof
