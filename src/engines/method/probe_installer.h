// ProbeInstaller: puts probes into the methods that match patterns, in classes that are loaded now
// or later, and takes the probes out again.
//
//   Install   listens to the loading of classes, and makes ProbeRound::Run retransform the prepared
//             classes that match
//   a class is loaded or retransformed, by any agent       ─▶ probes for its methods that match
//   a class is prepared whose loading began before Install ─▶ it is retransformed
//   a class is loaded without an event                     ─▶ ProbeUnannounced retransforms it, and
//                                                             a note names the time since when its
//                                                             calls count
//   Remove    adds no more probes, stops listening, and makes ProbeRound::Run retransform the
//             classes that have probes
//
// The ProbeUser decides which function the probes call, and with which number. Several installers
// can probe the same class: their probes add up. ProbeNotes: the notes for the user.
//
// A class that cannot be probed is named in a note, and the other classes are probed. Install,
// Remove, ProbeUnannounced and TakeNotes are called on attached threads, outside callbacks;
// concurrent calls to ProbeUnannounced are allowed, the others are called one at a time. Callbacks
// come on any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/method/method_choice.h"
#include "engines/method/probe_round.h"
#include "engines/method/traced_methods.h"
#include "instrument/add_probes.h"
#include "jvm/jvm_events.h"
#include "options/method_pattern.h"

namespace jprof {

// ProbeNotes: the methods and classes that could not be probed, a line each; as many lines as a
// user can read.
//
// Thread-safe; not for handlers.
class ProbeNotes {
 public:
  // Adds a line, unless there is the same one.
  void Add(std::string line);
  // Counts a method that matched when there were TracedMethods::kMost already.
  void AddUnnumbered();

  // Returns the lines since the last call.
  std::vector<std::string> Take();

 private:
  std::mutex mutex_;  // guards all below
  std::vector<std::string> lines_;
  uint64_t unsaid_ = 0;
  uint64_t unnumbered_ = 0;
};

// ProbeUser: the owner of probes. Called on any attached thread, in callbacks of the JVM.
class ProbeUser {
 public:
  virtual ~ProbeUser() = default;
  // Returns the functions that probes call. `is_counted`: in methods that are only counted.
  virtual instrument::ProbeTarget ProbedBy(bool is_counted) const = 0;
  // Returns the number that the probes of the method pass; nullopt: there is no room for the
  // method.
  virtual std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) = 0;
  // Notes that the probes of the method are in its code, or could not be put there.
  virtual void SetProbed(uint32_t /*number*/, bool /*is_probed*/) {}
};

class ProbeInstaller final : private JvmEventListener {
 public:
  // kNoted: a pattern without a loaded class is noted, because the user has written it. kExpected:
  // it is not, because the program might just not have loaded that class of the JDK yet.
  enum class Unmatched : uint8_t { kNoted, kExpected };

  // REQUIRES: `events`, `round` and `user` outlive the object.
  ProbeInstaller(JvmEvents& events, ProbeRound& round, ProbeUser& user,
                 std::vector<MethodPattern> patterns, Unmatched unmatched = Unmatched::kNoted);

  // Starts putting probes in; they are in loaded classes after `round` has run.
  Status Install();

  // Starts taking probes out; they are out of the code after `round` has run. At the end of the JVM
  // they stay. Returns false if a callback of the JVM is still inside: then the installer must
  // never be destroyed. May be called after a failed Install, and repeatedly.
  bool Remove();

  // Stops listening and leaves the probes in the code. REQUIRES: what the probes call accepts calls
  // until the process ends. Returns false in the same case as Remove.
  bool LeaveProbes();

  // True if a class has got probes since Install.
  bool HasProbes();

  // Looks for matching classes that the JVM has loaded without an event (jvm/class_catalog.h)
  // and gives them probes. kIfDue: only if it is time for such a look. kBeforeAnswer: before an
  // answer that claims to be exact.
  enum class Look { kIfDue, kBeforeAnswer };
  void ProbeUnannounced(JNIEnv* jni, Look look);

  // ProbeRound calls the functions from here to NoteUnmatched.

  // True if a pattern matches the class: it gets probes, or a note says why not.
  bool Wants(std::string_view class_name) const { return choice_.MatchesClass(class_name); }
  // Returns true if no probe is put into the class, and notes it unless the reason is empty. The
  // class must not be retransformed either: the JVM would link its calls again, among them calls
  // that probes make.
  bool IsExcluded(const std::string& class_name);
  // Notes that the JVM has refused the class; does nothing if Wants is false.
  void NoteRefused(const std::string& class_name, jvmtiError error);
  // Notes that all loaded classes have their probes now: classes that ProbeUnannounced finds later
  // are late.
  void BeginToLook();
  // Notes the patterns that match no loaded class, unless Unmatched::kExpected.
  void NoteUnmatched();

  // Returns the methods and classes that could not be probed, a line each.
  std::vector<std::string> TakeNotes() { return notes_.Take(); }

 private:
  void OnClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined, jobject loader,
                           const char* name, jobject, jint size, const unsigned char* bytes,
                           jint* new_size, unsigned char** new_bytes) override;
  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override;
  // The class of a ClassFileLoadHook; `redefined` is nullptr while it is loaded.
  struct HookedClass {
    std::shared_ptr<const ClassInfo> info;
    jobject loader;
    jclass redefined;
  };
  // Returns the class with probes; empty if it gets none; nullopt if the class could not call them:
  // then its ClassPrepare retransforms it, or a note names it.
  std::optional<std::vector<uint8_t>> Probe(JNIEnv* jni, const HookedClass& hooked,
                                            std::span<const uint8_t> bytes);
  void Account(const std::string& class_name, const instrument::ProbeReport& report);
  // Returns false if `referrer`, a class of `loader`, would not find the class of the probes. While
  // the referrer is being loaded it is nullptr: then false if the loader has not found that class
  // yet.
  bool CanCallProbes(JNIEnv* jni, jobject loader, jclass referrer);
  // Marks the methods of the class as having no probes, and notes why.
  void NoteUnprobed(const std::string& class_name, const std::string& reason);
  // Returns the prepared classes that could be probed and that no event has announced, as local
  // references. They count as announced from now on. REQUIRES: looking_ is held.
  std::vector<jclass> TakeUnannounced(JNIEnv* jni);
  // Returns false if a callback of the JVM is still inside.
  bool StopListening();
  // Forgets what is known of classes, and returns the names of those that got probes.
  std::set<std::string> ForgetClasses();
  // Forgets classes that are no longer among `loaded`, if there are many.
  void TrimAnnounced(const std::set<uint64_t>& loaded);
  void NoteUncounted();

  JvmEvents& events_;
  ProbeRound& round_;
  ProbeUser& user_;
  MethodChoice choice_;
  const Unmatched unmatched_;
  ProbeNotes notes_;
  JvmEvents::Subscription subscription_;
  std::atomic<bool> is_probing_{false};  // relaxed: a class that sees an old value is early or late
  const bool may_miss_classes_;          // UnannouncedClasses::MayExist at the construction
  std::mutex looking_;  // guards unannounced_ and installed_ns_; held across calls into the JVM
  UnannouncedClasses unannounced_;
  Nanos installed_ns_ = 0;
  std::mutex mutex_;  // guards all below; held without calls into the JVM
  std::map<std::string, std::vector<uint32_t>> probed_;  // classes with probes, and their methods
  std::vector<uint64_t> loading_;  // classes whose loading was seen, until they are prepared
  std::set<uint64_t> announced_;   // matching classes whose code was seen; empty if none is missed
};

}  // namespace jprof
