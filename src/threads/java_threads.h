// JavaThreads: names, ids, groups and kernel threads of the JVM's threads.
//
// On an attached thread. Nothing here runs Java code.
#pragma once

#include <jvmti.h>

#include <optional>
#include <vector>

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "threads/thread_info.h"
#include "threads/thread_names.h"

namespace jprof {

class JavaThreads {
 public:
  // One platform thread that was alive at the moment of the call.
  struct Existing {
    Tid tid;
    void* jni_env;
    JavaThreadInfo info;
    StackBounds stack;  // 0 where this VM does not say
  };

  // REQUIRES: the live phase; `jni` is the calling thread's.
  JavaThreads(jvmtiEnv* jvmti, JNIEnv* jni, const VmStructs& structs);

  // Of the JNIEnv within the VM's JavaThread; nullopt: this JVM does not say.
  std::optional<int64_t> env_offset() const { return env_offset_; }

  JavaThreadInfo Describe(JNIEnv* jni, jthread thread) const;

  // All platform threads. A thread is left out if its kernel thread is not known (in a VM of
  // unknown layout); then `missing` is the reason.
  std::vector<Existing> All(JNIEnv* jni, std::string* missing) const;

  // Tells the registry of all threads as they are named and grouped now. References to threads are
  // given back before it returns.
  void Reread(JNIEnv* jni, ThreadNames& names) const;

 private:
  std::vector<std::string> GroupPath(jthreadGroup group) const;

  jvmtiEnv* const jvmti_;
  const HotspotLayout layout_;    // of JavaThreads
  jfieldID thread_id_ = nullptr;  // java.lang.Thread.tid
  jfieldID eetop_ = nullptr;      // java.lang.Thread.eetop: the VM's JavaThread
  // From a JavaThread to its JNIEnv: the same for all threads of a VM, but not exported.
  std::optional<int64_t> env_offset_;
};

}  // namespace jprof
