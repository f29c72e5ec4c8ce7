// ClassVersions makes every retransformation start from the version of the class that is running,
// in JVMs that would start from an older version.
//
// A JVM up to JDK 20 keeps the class file that was current when an agent first transformed a class,
// and hands out this file at each retransformation, even after another agent has redefined the
// class (VM_RedefineClasses::redefine_single_class in
// src/hotspot/share/prims/jvmtiRedefineClasses.cpp, jdk-17+35). A retransformation would thus
// silently undo a hot swap. Since JDK 21, the JVM keeps the file of a redefinition instead.
//
// To a JVMTI environment with the capability to retransform, a redefinition looks like a
// retransformation. An environment without the capability receives only redefinitions, and receives
// them before the environments that have it. Therefore ClassVersions makes a second environment
// without the capability; this environment announces each redefinition. The agent's main
// environment then receives the same redefinition, and ClassVersions keeps its class file. The kept
// file includes the changes by agents before ours. The kept file is used as long as those agents
// change the JVM's file in the same way.
//
// There is one object per process, from the first probes on, so that hot swaps between recordings
// are noticed too. The object keeps the last file of each loaded class that has been redefined, up
// to kMostBytes, and a few words for each class that has been retransformed.
//
// Thread-safe; not for handlers.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/jvm_events.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {

class ClassVersions {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;
  // From this number of versions on, ClassVersions looks for unloaded classes and forgets them.
  static constexpr size_t kFewestToForget = 1024;

  // Starts to watch redefinitions if this JVM needs it; repeated calls have no effect. REQUIRES: no
  // listener has subscribed to ClassFileLoadHook yet, because the other listeners must receive the
  // class file that ClassVersions returns.
  static Status Watch(JvmEvents& events);

  // Returns how often agents have redefined or retransformed the class; nullopt if this JVM does
  // not count these changes. Leaves no exception pending.
  static std::optional<jint> ChangesOf(JNIEnv* jni, jclass clazz);

  // True if another agent has redefined the class and there was no room for the new class file.
  static bool IsLost(JNIEnv* jni, jclass clazz, const std::string& name);

 private:
  // Receives the events of one of the two environments. `may_retransform` is true for the
  // environment with the capability to retransform.
  class Listener : public JvmEventListener {
   public:
    explicit Listener(bool may_retransform) : may_retransform_(may_retransform) {}

   private:
    void OnClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined, jobject,
                             const char* name, jobject, jint size, const unsigned char* bytes,
                             jint* new_size, unsigned char** new_bytes) override;
    const bool may_retransform_;
  };
  using File = std::vector<uint8_t>;

  // A redefinition that the environment without the capability has received, but the other
  // environment has not received yet.
  struct Announced {
    Tid thread;
    std::string name;
    File plain;  // the file as the environment received it
  };
  struct Redefinition {
    bool exists = false;
    bool is_lost = false;    // true if there was no room for its file
    File file;               // the file with the changes by agents before ours
    File plain;              // the file without these changes; empty if equal to `file`
    uint64_t was_given = 0;  // Version::given at the redefinition; 0 if no file was given yet
  };
  struct Version {
    jweak clazz = nullptr;
    Redefinition last;
    Redefinition next;        // a redefinition that the JVM might still refuse
    jint changes_before = 0;  // number of changes of the class before `next`
    uint64_t given = 0;  // hash of the file that the last retransformation gave us; 0 if none yet
  };

  static ClassVersions& OfProcess();
  Status Begin(JvmEvents& events);
  void Announce(const std::string& name, std::span<const uint8_t> plain);
  // REQUIRES, in all functions below: mutex_ is held.
  std::optional<File> TakeAnnounced(const std::string& name);
  // Returns the file that replaces `given`; empty if `given` is right.
  File FileOf(JNIEnv* jni, jclass redefined, const std::string& name,
              std::span<const uint8_t> given);
  Redefinition NewRedefinition(std::span<const uint8_t> given, File plain, uint64_t was_given);
  Version* Find(JNIEnv* jni, jclass clazz, const std::string& name);
  Version* FindOrAdd(JNIEnv* jni, jclass clazz, const std::string& name);
  void Settle(JNIEnv* jni, Version& version);
  void Drop(Redefinition& redefinition);
  void ForgetUnloaded(JNIEnv* jni);

  Listener redefinitions_{false};
  Listener transformations_{true};
  std::mutex watch_mutex_;  // guards is_watching_
  bool is_watching_ = false;
  std::mutex mutex_;            // guards all below; not held across calls that run Java code
  jfieldID changes_ = nullptr;  // field of java.lang.Class: number of changes of the class
  std::vector<Announced> announced_;
  std::map<std::string, std::vector<Version>> versions_;  // keyed by name of the class
  size_t bytes_ = 0;                                      // size of the files of versions_
  size_t count_ = 0;                                      // number of versions in versions_
  size_t forget_at_ = kFewestToForget;  // count_ at which unloaded classes are searched
};

}  // namespace jprof
