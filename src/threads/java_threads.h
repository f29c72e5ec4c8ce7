// What the JVM knows of its threads: names, ids, groups, and which kernel thread each one is.
//
// On an attached thread. Nothing here runs Java code.
#pragma once

#include <jvmti.h>

#include <optional>
#include <vector>

#include "base/result.h"
#include "sigsafe/hotspot/vm_layout.h"
#include "threads/thread_info.h"

namespace jprof {

class JavaThreads {
 public:
  // One platform thread that was alive at the moment of the call.
  struct Existing {
    Tid tid;
    void* jni_env;
    JavaThreadInfo info;
  };

  // REQUIRES: the live phase; `jni` is the calling thread's.
  JavaThreads(jvmtiEnv* jvmti, JNIEnv* jni, const VmLayout& layout);

  // Of the JNIEnv within the VM's JavaThread; nullopt: this JVM does not say.
  std::optional<int64_t> env_offset() const { return env_offset_; }

  JavaThreadInfo Describe(JNIEnv* jni, jthread thread) const;

  // All platform threads. Those whose kernel thread cannot be told (a VM whose layout is not known)
  // are left out; `missing` says why, once.
  std::vector<Existing> All(JNIEnv* jni, std::string* missing) const;

 private:
  std::vector<std::string> GroupPath(jthreadGroup group) const;

  jvmtiEnv* const jvmti_;
  const VmLayout layout_;
  jfieldID thread_id_ = nullptr;  // java.lang.Thread.tid
  jfieldID eetop_ = nullptr;      // java.lang.Thread.eetop: the VM's JavaThread
  // From a JavaThread to its JNIEnv: the same for all threads of a VM, but not exported.
  std::optional<int64_t> env_offset_;
};

}  // namespace jprof
