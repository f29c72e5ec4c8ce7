// ThreadObservation announces the threads of the process to the registry. JavaThreads finds the
// names, ids and tids of the JVM's threads.
#pragma once

#include <jvmti.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/jvm_events.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "threads/pthread_hook.h"
#include "threads/thread_infos.h"
#include "threads/thread_names.h"
#include "threads/thread_registry.h"

namespace jprof {

// JavaThreads finds the names, ids, groups and tids of the JVM's platform threads.
//
// Immutable after construction. All functions are called on an attached thread, outside handlers,
// and run no Java code.
class JavaThreads {
 public:
  // A platform thread that was alive at the time of the call.
  struct Existing {
    Tid tid;
    void* jni_env;
    JavaThreadInfo info;
    StackBounds stack;  // bounds are 0 if this VM does not report them
  };

  // REQUIRES: JVMTI is in the live phase. In all functions, `jni` is the JNIEnv of the calling
  // thread.
  JavaThreads(jvmtiEnv* jvmti, JNIEnv* jni, const VmStructs& structs);

  // Returns the offset in bytes of the JNIEnv within the VM's JavaThread; nullopt if it could not
  // be determined.
  std::optional<int64_t> env_offset() const { return env_offset_; }

  // True if a field or an offset is unknown because the JVM was out of memory. A JavaThreads that
  // is made later might find it.
  bool ran_out_of_memory() const { return ran_out_of_memory_; }

  // Returns the present name, id and groups of the thread.
  JavaThreadInfo Describe(JNIEnv* jni, jthread thread) const;

  // Returns all platform threads whose tid is known. If tids cannot be read, or JVMTI refuses the
  // list, sets `missing` to the reason.
  std::vector<Existing> All(JNIEnv* jni, std::string* missing) const;

  // Returns the current name of the thread; nullopt if it cannot be read.
  std::optional<std::string> NameOf(JNIEnv* jni, jthread thread) const;

  // Updates `names` with the current names of all Java threads.
  void Reread(JNIEnv* jni, ThreadNames& names) const;

 private:
  std::vector<std::string> GroupPath(JNIEnv* jni, jthread thread) const;
  static std::optional<std::string> TextOf(JNIEnv* jni, jobject object, jfieldID field);

  jvmtiEnv* const jvmti_;
  const HotspotLayout layout_;       // layout of the VM's JavaThread
  jfieldID thread_id_ = nullptr;     // java.lang.Thread.tid
  jfieldID eetop_ = nullptr;         // java.lang.Thread.eetop: the VM's JavaThread
  jfieldID name_ = nullptr;          // java.lang.Thread.name
  jfieldID holder_ = nullptr;        // java.lang.Thread.holder; nullptr up to JDK 18
  jfieldID group_ = nullptr;         // the field `group` of the holder, or of java.lang.Thread
  jfieldID group_name_ = nullptr;    // java.lang.ThreadGroup.name
  jfieldID group_parent_ = nullptr;  // java.lang.ThreadGroup.parent
  // The result of env_offset(). The offset is the same for all threads of a VM. The VM does not
  // export it, so the constructor computes it from the calling thread.
  std::optional<int64_t> env_offset_;
  bool ran_out_of_memory_ = false;
};

// ThreadObservation announces the threads of the process to the registry, by the paths that a
// recording uses (docs/priming.md): JVMTI events, the hook on pthread_create, the lists of the
// kernel and of the JVM.
//
// There is one object per process, leaked on purpose because an event might come late. Begin,
// Unhook and End are called by the sampler, one at a time. JVMTI calls the On... functions on the
// JVM's threads.
class ThreadObservation final : private JvmEventListener {
 public:
  ThreadObservation(ThreadRegistry& registry, const JavaThreads& java_threads)
      : registry_(registry), java_threads_(java_threads) {}

  // First subscribes to events, then lists the running threads, so that no thread is missed. End()
  // must be called even if Begin returns an Error.
  Status Begin(JvmEvents& events, JNIEnv* jni, PrimingPaths paths);

  // Removes the hook on pthread_create. JVMTI events continue.
  void Unhook();

  // Removes the hook and ends the subscriptions. May be called twice, and without Begin.
  void End();

  // Returns the hook, which is valid until Unhook; nullptr if it was not requested or could not be
  // installed.
  PthreadHook* hook() const { return hook_.get(); }

 private:
  void OnThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  void OnThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  // Called before the first call of a native method, which might create threads. Hooks the
  // libraries that were loaded since the last time, among them the library of the method.
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
