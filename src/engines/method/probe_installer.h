// ProbeInstaller: puts probes into the methods of patterns, in classes that are loaded and in those
// that will be, and takes them out again.
//
//   Install   listens to the loading of classes, and has ProbeRound::Run retransform the prepared
//             ones that match
//   a class is loaded or retransformed, by any agent       ─▶ probes for its methods that match
//   a class is prepared whose loading began before Install ─▶ is retransformed
//   a class is loaded without an event                     ─▶ ProbeUnannounced retransforms it, and
//                                                             a note names the time since when its
//                                                             calls count
//   Remove    adds no more probes, stops listening, and has ProbeRound::Run retransform the classes
//             that got some
//
// What the probes call, and with which number, is their user's. Several installers may probe the
// same class: their probes add up.
//
// A class that cannot be probed is named in a note, and the others go on. Install, Remove,
// ProbeUnannounced and TakeNotes: on attached threads, outside callbacks; ProbeUnannounced on any,
// the others one call at a time. Callbacks come on any thread.
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

// ProbeNotes: what could not be probed, a line each; so many that a reader can take them in.
//
// Thread-safe, outside handlers.
class ProbeNotes {
 public:
  // Once each.
  void Add(std::string line);
  // A method that matched when there were TracedMethods::kMost.
  void AddUnnumbered();

  // Those since the last call.
  std::vector<std::string> Take();

 private:
  std::mutex mutex_;  // guards all below
  std::vector<std::string> lines_;
  uint64_t unsaid_ = 0;
  uint64_t unnumbered_ = 0;
};

// Whose probes they are. On any attached thread, in callbacks of the JVM.
class ProbeUser {
 public:
  virtual ~ProbeUser() = default;
  // `is_counted`: methods that are counted alone.
  virtual instrument::ProbeTarget ProbedBy(bool is_counted) const = 0;
  // What the probes of the method pass. nullopt: there is no more room for it.
  virtual std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) = 0;
  // The probes of the method are in its code, or have not got there.
  virtual void SetProbed(uint32_t /*number*/, bool /*is_probed*/) {}
};

class ProbeInstaller final : private JvmEventListener {
 public:
  // Says whether patterns without a loaded class are noted: the user's own are, while a class of the
  // JDK that the program has not loaded yet is no news.
  enum class Unmatched : uint8_t { kNoted, kExpected };

  // REQUIRES: `events`, `round` and `user` outlive it.
  ProbeInstaller(JvmEvents& events, ProbeRound& round, ProbeUser& user,
                 std::vector<MethodPattern> patterns, Unmatched unmatched = Unmatched::kNoted);

  // The probes are in the code once `round` has run.
  Status Install();

  // The probes are out of the code once `round` has run; at the end of the JVM they stay. False: a
  // callback of the JVM is still inside, and the installer must never be destroyed. May be called
  // after a failed Install, and repeatedly.
  bool Remove();

  // Stops listening, and leaves the probes in the code, where what they call must be ready for calls
  // forever. False: as of Remove.
  bool LeaveProbes();

  // True if a class has got probes since Install.
  bool HasProbes();

  // Looks for matching classes that the JVM has loaded without an event (jvm/class_catalog.h)
  // and gives them probes: when a list is due, and before an answer that claims to be exact.
  enum class Look { kIfDue, kBeforeAnswer };
  void ProbeUnannounced(JNIEnv* jni, Look look);

  // For `round`. True if the class is to be probed, or to be named as one that cannot be.
  bool Wants(std::string_view class_name) const { return choice_.MatchesClass(class_name); }
  // Returns true if no probe is put into the class, which a note then names. The class must not be
  // retransformed either: the JVM would link its calls again, among them those that probes make.
  bool IsExcluded(const std::string& class_name);
  // Notes that the JVM has refused the class; does nothing where Wants is false.
  void NoteRefused(const std::string& class_name, jvmtiError error);
  // The probes are in all loaded classes now: what ProbeUnannounced finds from here on is late.
  void BeginToLook();
  // Notes the patterns that match no loaded class, unless that is expected.
  void NoteUnmatched();

  // What could not be done, a line each.
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
  // Returns the class with probes; empty if it gets none; nullopt if it could not call them: then
  // its ClassPrepare has it retransformed, or a note names it.
  std::optional<std::vector<uint8_t>> Probe(JNIEnv* jni, const HookedClass& hooked,
                                            std::span<const uint8_t> bytes);
  void Account(const std::string& class_name, const instrument::ProbeReport& report);
  // Returns false if `referrer`, a class of `loader`, would not find the probes' class, or if it is
  // being loaded (nullptr) and the loader has not found that class yet.
  bool CanCallProbes(JNIEnv* jni, jobject loader, jclass referrer);
  // Marks the methods of the class as having no probes, and notes why.
  void NoteUnprobed(const std::string& class_name, const std::string& reason);
  // Returns the prepared classes that could be probed and that no event has announced, as local
  // references. They count as announced from then on. REQUIRES: looking_ is held.
  std::vector<jclass> TakeUnannounced(JNIEnv* jni);
  bool StopListening();
  // Forgets what is known of classes, and returns the names of those that got probes.
  std::set<std::string> ForgetClasses();
  // Forgets classes that are not among `loaded` any more, when there are many.
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
  const bool may_miss_classes_;          // UnannouncedClasses::MayExist
  std::mutex looking_;                   // guards the two below; held across calls of the JVM
  UnannouncedClasses unannounced_;
  Nanos installed_ns_ = 0;
  std::mutex mutex_;  // guards all below; held without calls of the JVM
  std::map<std::string, std::vector<uint32_t>> probed_;  // classes with probes, and their methods
  std::vector<uint64_t> loading_;  // classes that were seen to be loaded, until prepared
  std::set<uint64_t> announced_;   // matching classes whose code was seen, where some is not
};

}  // namespace jprof
