// ClassVersions: has every retransformation begin with the version of a class that runs, in JVMs
// that would begin with an older one.
//
// A JVM up to JDK 20 keeps the class file that was current when an agent first transformed a class,
// and hands it out at each retransformation, also once another agent has redefined the class: a
// hot swap would be undone, silently (VM_RedefineClasses::redefine_single_class in
// src/hotspot/share/prims/jvmtiRedefineClasses.cpp, jdk-17+35; the file of a redefinition is kept
// since JDK 21). A redefinition and a retransformation look the same to an agent that may
// retransform; one that may not hears of redefinitions alone, and before the others. So there is a
// second JVMTI environment, and the file of a redefinition is kept, as it comes to the first one.
// The changes that agents before ours have made in it are kept with it for as long as those agents
// change what the JVM hands out in the same way.
//
// One object per process, once there have been probes: a hot swap after a recording counts, too.
// Keeps the last file of each loaded class that has been redefined, up to kMostBytes, and a few
// words for each that has been retransformed.
// Thread-safe, outside handlers.
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
  static constexpr size_t kFewestToForget = 1024;

  // Begins to watch, where this JVM needs it; again: does nothing. To be called before any other
  // listener subscribes to ClassFileLoadHook: each listener is to see what this one answers.
  static Status Watch(JvmEvents& events);

  // Returns how often any agent has redefined or retransformed the class; nullopt: this JVM does not
  // count that. Leaves no exception.
  static std::optional<jint> ChangesOf(JNIEnv* jni, jclass clazz);

  // True if the class has been redefined, and there was no room for its file.
  static bool IsLost(JNIEnv* jni, jclass clazz, const std::string& name);

 private:
  // Subscribed in both environments, which differ in what they may do.
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

  // A redefinition that the one environment has heard of, and the other has not.
  struct Announced {
    Tid thread;
    std::string name;
    File plain;
  };
  struct Redefinition {
    bool exists = false;
    bool is_lost = false;    // there was no room for its file
    File file;               // with the changes of agents that come before ours
    File plain;              // without those changes; empty: the same
    uint64_t was_given = 0;  // the hash of what a retransformation was given before; 0: unknown
  };
  struct Version {
    jweak clazz = nullptr;
    Redefinition last;
    Redefinition next;        // the JVM may yet refuse it
    jint changes_before = 0;  // the number of changes of the class when `next` came
    uint64_t given = 0;       // the hash of what the last retransformation was given; 0: none yet
  };

  static ClassVersions& OfProcess();
  Status Begin(JvmEvents& events);
  void Announce(const std::string& name, std::span<const uint8_t> plain);
  // The functions below: under mutex_.
  std::optional<File> TakeAnnounced(const std::string& name);
  // Returns the file to go on with instead of `given`; empty: `given` is right.
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
  std::mutex mutex_;            // guards all below; held without calls that run Java code
  jfieldID changes_ = nullptr;  // of java.lang.Class: its redefinitions and retransformations
  std::vector<Announced> announced_;
  std::map<std::string, std::vector<Version>> versions_;  // by the class's name
  size_t bytes_ = 0;                                      // of their files
  size_t count_ = 0;                                      // of versions_
  size_t forget_at_ = kFewestToForget;  // the count at which unloaded classes are looked for
};

}  // namespace jprof
