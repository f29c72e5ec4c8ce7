// ThreadObservation: announces the threads of the process to the registry, by the paths that a
// recording uses (docs/priming.md): JVMTI events, the hook on pthread_create, the lists of the
// kernel and of the JVM.
//
// There is one object per process, leaked on purpose because an event might come late. Begin,
// Unhook and End are called by the sampler, one at a time. JVMTI calls the On... functions on the
// JVM's threads.
#pragma once

#include <memory>
#include <mutex>

#include "base/result.h"
#include "jvm/jvm_events.h"
#include "sigsafe/base/priming_path.h"
#include "threads/java_threads.h"
#include "threads/pthread_hook.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadObservation final : private JvmEventListener {
 public:
  ThreadObservation(ThreadRegistry& registry, const JavaThreads& java_threads)
      : registry_(registry), java_threads_(java_threads) {}

  // Subscribes to events, and then lists threads, so that no thread is missed. End must be called
  // even after an Error.
  Status Begin(JvmEvents& events, JNIEnv* jni, PrimingPaths paths);

  // Removes the hook. Events continue, for the registry and its listeners.
  void Unhook();

  // Removes the hook and ends the subscriptions. May be called twice, and without Begin.
  void End();

  // Returns the hook, which is valid until Unhook; nullptr if it was not requested or could not be
  // installed.
  PthreadHook* hook() const { return hook_.get(); }

 private:
  void OnThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  void OnThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  // Hooks the library of a native method before the method's first call, which might create
  // threads.
  void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jmethodID method,
                          void* address, void** new_address) override;

  Status Subscribe(JvmEvents& events, PrimingPaths paths);
  void HookNativeThreads();
  void ListJavaThreads(JNIEnv* jni);

  ThreadRegistry& registry_;
  const JavaThreads& java_threads_;
  JvmEvents::Subscription thread_events_;
  JvmEvents::Subscription bind_events_;
  std::mutex hook_mutex_;              // guards hook_: OnNativeMethodBind runs on any thread
  std::unique_ptr<PthreadHook> hook_;  // written under hook_mutex_ by Begin and Unhook
};

}  // namespace jprof
