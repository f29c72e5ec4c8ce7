#include "threads/thread_observation.h"

#include <string>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"

namespace jprof {

Status ThreadObservation::Begin(JvmEvents& events, JNIEnv* jni, PrimingPaths paths) {
  const Status subscribed = Subscribe(events, paths);
  if (!subscribed) return subscribed;
  if (paths.Has(PrimingPath::kHook)) HookNativeThreads();
  if (paths.Has(PrimingPath::kScan)) {
    const Status scanned = registry_.Rescan();
    if (!scanned) return scanned;
  }
  if (paths.Has(PrimingPath::kJvmti)) ListJavaThreads(jni);
  return {};
}

Status ThreadObservation::Subscribe(JvmEvents& events, PrimingPaths paths) {
  if (paths.Has(PrimingPath::kJvmti)) {
    Result<JvmEvents::Subscription> threads =
        events.Subscribe(*this, {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END});
    if (!threads) return threads.error();
    thread_events_ = std::move(threads).value();
  }
  if (paths.Has(PrimingPath::kHook)) {
    Result<JvmEvents::Subscription> binds =
        events.Subscribe(*this, {JVMTI_EVENT_NATIVE_METHOD_BIND});
    if (!binds) return binds.error();
    bind_events_ = std::move(binds).value();
  }
  return {};
}

// Installs the hook. Without it, native threads are found by the task watcher.
void ThreadObservation::HookNativeThreads() {
  Result<std::unique_ptr<PthreadHook>> hook = PthreadHook::Install(&registry_, kEngineSignals);
  if (!hook) {
    Log::Debug("new native threads are found late: %s", hook.error().message().c_str());
    return;
  }
  {
    const std::lock_guard lock(hook_mutex_);
    hook_ = std::move(hook).value();
  }
  if (const size_t refused = hook_->imports().refused_slots(); refused != 0) {
    Log::Debug("%zu import slots could not be hooked: their new threads are found late", refused);
  }
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
}

void ThreadObservation::ListJavaThreads(JNIEnv* jni) {
  std::string missing;
  for (JavaThreads::Existing& thread : java_threads_.All(jni, &missing)) {
    registry_.SetJavaThread(thread.tid, thread.jni_env, std::move(thread.info), thread.stack);
  }
  registry_.EndJavaThreadList();
  if (!missing.empty()) {
    Log::Warn("threads that were there before the recording have no Java stacks: %s",
              missing.c_str());
  }
}

void ThreadObservation::Unhook() {
  registry_.ExpectNativeEnds(NativeEnds::kSilent);
  const std::lock_guard lock(hook_mutex_);
  hook_.reset();
}

void ThreadObservation::End() {
  Unhook();
  thread_events_.Cancel();
  bind_events_.Cancel();
}

void ThreadObservation::OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  registry_.OnJavaThreadStart(jni, java_threads_.Describe(jni, thread));
}

void ThreadObservation::OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  registry_.OnJavaThreadEnd(jni, java_threads_.NameOf(jni, thread));
}

void ThreadObservation::OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) {
  const std::lock_guard lock(hook_mutex_);
  if (hook_ != nullptr) hook_->imports().CoverNewLibraries();
}

}  // namespace jprof
