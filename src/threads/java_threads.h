// JavaThreads: finds the names, ids, groups and kernel threads (tids) of the JVM's platform
// threads.
//
// Immutable after construction. All functions are called on an attached thread, outside handlers,
// and run no Java code.
#pragma once

#include <jvmti.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "threads/thread_infos.h"
#include "threads/thread_names.h"

namespace jprof {

class JavaThreads {
 public:
  // A platform thread that was alive at the time of the call.
  struct Existing {
    Tid tid;
    void* jni_env;
    JavaThreadInfo info;
    StackBounds stack;  // 0: not reported by this VM
  };

  // REQUIRES: the live phase of JVMTI. Here and below, `jni` is the calling thread's.
  JavaThreads(jvmtiEnv* jvmti, JNIEnv* jni, const VmStructs& structs);

  // Returns the offset in bytes of the JNIEnv within the VM's JavaThread; nullopt if it could not
  // be determined.
  std::optional<int64_t> env_offset() const { return env_offset_; }

  // True if a field or an offset is unknown because the JVM had no memory: a later JavaThreads
  // might find it.
  bool ran_out_of_memory() const { return ran_out_of_memory_; }

  JavaThreadInfo Describe(JNIEnv* jni, jthread thread) const;

  // Returns all platform threads whose tid is known. If tids cannot be read, or JVMTI refuses the
  // list, sets `missing` to the reason.
  std::vector<Existing> All(JNIEnv* jni, std::string* missing) const;

  // Returns the current name of the thread; nullopt if it cannot be read.
  std::optional<std::string> NameOf(JNIEnv* jni, jthread thread) const;

  // Updates `names` with the current names of all threads. Deletes its JNI references to threads
  // before it returns.
  void Reread(JNIEnv* jni, ThreadNames& names) const;

 private:
  std::vector<std::string> GroupPath(jthreadGroup group) const;

  jvmtiEnv* const jvmti_;
  const HotspotLayout layout_;    // layout of the VM's JavaThread
  jfieldID thread_id_ = nullptr;  // java.lang.Thread.tid
  jfieldID eetop_ = nullptr;      // java.lang.Thread.eetop: the VM's JavaThread
  jfieldID name_ = nullptr;       // java.lang.Thread.name
  // The offset is the same for all threads of a VM, but the VM does not export it: it is computed
  // from the calling thread.
  std::optional<int64_t> env_offset_;
  bool ran_out_of_memory_ = false;
};

}  // namespace jprof
