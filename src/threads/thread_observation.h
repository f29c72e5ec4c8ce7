// ThreadObservation: has the registry told of the process's threads, in every way that a recording
// wants (docs/priming.md): JVMTI's events, the hook on pthread_create, the lists of the kernel and
// of the JVM.
//
// One object per process, leaked on purpose: an event may come late. Begin and End: by the
// recording, one at a time. The events run on the JVM's threads.
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

  // Events first, then the threads that are there already: nothing falls between. After an Error
  // End is to be called all the same.
  Status Begin(JvmEvents& events, JNIEnv* jni, PrimingPaths paths);

  // Nothing is hooked any more. Events go on, for engines and the registry that still listen.
  void Unhook();

  // Also twice, and without Begin.
  void End();

  // nullptr: none is wanted, or it could not be installed. Valid to Unhook.
  PthreadHook* hook() const { return hook_.get(); }

 private:
  void OnThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  void OnThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  // A native method may create threads: its library is hooked when the method is bound.
  void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jmethodID method,
                          void* address, void** new_address) override;

  Status Subscribe(JvmEvents& events, PrimingPaths paths);
  void HookNativeThreads();
  void ListJavaThreads(JNIEnv* jni);

  ThreadRegistry& registry_;
  const JavaThreads& java_threads_;
  JvmEvents::Subscription thread_events_;
  JvmEvents::Subscription bind_events_;
  std::mutex hook_mutex_;              // for OnNativeMethodBind
  std::unique_ptr<PthreadHook> hook_;  // written under hook_mutex_ by Begin and Unhook
};

}  // namespace jprof
