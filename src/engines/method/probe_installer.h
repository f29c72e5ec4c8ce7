// ProbeInstaller puts probes into the methods that match patterns, in classes that are loaded now
// or later, and takes the probes out again. ProbeUser decides which functions the probes call.
// ProbeNotes collects the notes for the user.
//
//   Install   listens to the loading of classes, and makes ProbeRound::Run retransform the prepared
//             classes that match
//   a class is loaded or retransformed, by any agent       ─▶ probes for its methods that match
//   a class is prepared whose loading began before Install ─▶ it is retransformed
//   a class is loaded without an event                     ─▶ ProbeUnannounced retransforms it, and
//                                                             a note says from when on its calls
//                                                             count
//   Remove    adds no more probes, stops listening, and makes ProbeRound::Run retransform the
//             classes that have probes
//
// Several installers can probe the same class, which then has the probes of all of them.
//
// A class that cannot be probed is named in a note, and the other classes are probed. Install,
// Remove, ProbeUnannounced and TakeNotes are called on threads that are attached to the JVM,
// outside callbacks. ProbeUnannounced may be called concurrently, the other functions one at a
// time. The JVM calls the callbacks on any thread.
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

// ProbeNotes collects a line for each method or class that could not be probed. Beyond kMostNotes
// lines, only the number of further lines is reported.
//
// Thread-safe; not for handlers.
class ProbeNotes {
 public:
  // Adds the line, unless the notes contain it already.
  void Add(std::string line);
  // Counts a method that gets no probes because TracedMethods::kMost others have them.
  void AddUnnumbered();

  // Returns the lines that were added since the last call.
  std::vector<std::string> Take();

 private:
  std::mutex mutex_;  // guards all below
  std::vector<std::string> lines_;
  uint64_t omitted_ = 0;     // number of lines beyond kMostNotes
  uint64_t unnumbered_ = 0;  // number of calls to AddUnnumbered
};

// ProbeUser decides which functions probes call, and which number they pass. Its functions are
// called in callbacks of the JVM, on any thread.
class ProbeUser {
 public:
  virtual ~ProbeUser() = default;
  // Returns the functions that probes call. If `is_counted` is true, these are the functions for
  // methods whose calls are only counted.
  virtual instrument::ProbeTarget ProbedBy(bool is_counted) const = 0;
  // Returns the number that the probes of the method pass; nullopt if the method gets no probes.
  virtual std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) = 0;
  // True if NumberFor returns nullopt only because there are too many methods. A note then says how
  // many methods got no probes.
  virtual bool WantsEachMethod() const { return true; }
  // Notes that the probes of the method are in its code, or could not be put there.
  virtual void SetProbed(uint32_t /*number*/, bool /*is_probed*/) {}
  // Notes the result for the method, when its class gets probes.
  virtual void Note(const instrument::MethodReport& report) {
    SetProbed(report.id, !report.not_probed);
  }
};

class ProbeInstaller final : private JvmEventListener {
 public:
  // Tells whether a note names each pattern that matches no loaded class. kNoted: yes, because the
  // user has written the patterns. kExpected: no, because the patterns name classes of the JDK,
  // which the program might not have loaded yet.
  enum class Unmatched : uint8_t { kNoted, kExpected };

  // REQUIRES: `events`, `round` and `user` outlive the object.
  ProbeInstaller(JvmEvents& events, ProbeRound& round, ProbeUser& user,
                 std::vector<MethodPattern> patterns, Unmatched unmatched = Unmatched::kNoted);

  // Starts to put probes into classes: into loaded classes when `round` runs next
  // (ProbeRound::Run), into other classes when they are loaded.
  Status Install();

  // Stops putting probes in, and makes `round` take the probes out when it runs next. At the end of
  // the JVM, the probes stay in the code. Returns false if one of our callbacks is still running;
  // the installer must then never be destroyed. May be called after a failed Install, and
  // repeatedly.
  bool Remove();

  // Stops putting probes in, and leaves the probes in the code. REQUIRES: the functions that the
  // probes call accept calls until the process ends. Like Remove, returns false if one of our
  // callbacks is still running.
  bool LeaveProbes();

  // True if a class has probes.
  bool HasProbes();

  // Looks for matching classes that the JVM has loaded without an event (UnannouncedClasses in
  // jvm/class_catalog.h), and gives them probes. kIfDue looks only if UnannouncedClasses says that
  // a look is due. kBeforeAnswer looks in any JVM that can load classes without an event; it is for
  // callers that are about to give an exact answer.
  enum class Look { kIfDue, kBeforeAnswer };
  void ProbeUnannounced(JNIEnv* jni, Look look);

  // The functions from here to NoteUnmatched are called by ProbeRound.

  // True if a pattern matches the class. The class then gets probes, or a note says why not.
  bool Wants(std::string_view class_name) const { return choice_.MatchesClass(class_name); }
  // True if the class is among those that are never probed (probe_exclusions.def). Adds a note
  // unless the reason is empty. Such a class must not be retransformed either: the JVM would link
  // the calls in the class again, and probes rely on some of these calls.
  bool IsExcluded(const std::string& class_name);
  // Notes that the JVM has refused to change the class. Does nothing if Wants() is false for the
  // class.
  void NoteRefused(const std::string& class_name, jvmtiError error);
  // Notes that all loaded classes have their probes now. If ProbeUnannounced finds a class after
  // this call, earlier calls to the methods of that class were missed, and a note says so.
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
  // The class that a ClassFileLoadHook is about. `redefined` is nullptr if the class is just being
  // loaded.
  struct HookedClass {
    std::shared_ptr<const ClassInfo> info;
    jobject loader;
    jclass redefined;
  };
  // Returns the class file with probes. The result is empty if the class gets no probes. It is
  // nullopt if the class could not call its probes; such a class is retransformed when it is
  // prepared, or a note names it.
  std::optional<std::vector<uint8_t>> Probe(JNIEnv* jni, const HookedClass& hooked,
                                            std::span<const uint8_t> bytes);
  // Notes which methods of the class have probes now, and why other chosen methods have none.
  void Account(const std::string& class_name, const instrument::ProbeReport& report);
  // True if `referrer`, a class of `loader`, finds the class that probes call. `referrer` is
  // nullptr for a class that is being loaded. For such a class, true if `loader` has already found
  // the class that probes call.
  bool CanCallProbes(JNIEnv* jni, jobject loader, jclass referrer);
  // Marks the methods of the class as having no probes, and notes why.
  void NoteUnprobed(const std::string& class_name, const std::string& reason);
  // Returns local references to the prepared classes that could be probed and that no event has
  // announced. From now on these classes count as announced. REQUIRES: looking_ is held.
  std::vector<jclass> TakeUnannounced(JNIEnv* jni);
  // Returns false if one of our callbacks is still running.
  bool StopListening();
  // Clears probed_, loading_ and announced_. Returns the names of the classes that have probes.
  std::set<std::string> ForgetClasses();
  // If announced_ has become large, removes the classes that are not among `loaded`.
  void TrimAnnounced(const std::set<uint64_t>& loaded);
  // Notes the classes that were loaded without an event and had no probes until now.
  void NoteUncounted();

  JvmEvents& events_;
  ProbeRound& round_;
  ProbeUser& user_;
  MethodChoice choice_;
  const Unmatched unmatched_;
  ProbeNotes notes_;
  JvmEvents::Subscription subscription_;
  // relaxed: a callback that sees an old value probes one class too many or too few.
  std::atomic<bool> is_probing_{false};
  const bool may_miss_classes_;  // UnannouncedClasses::MayExist at the construction
  std::mutex looking_;  // guards unannounced_ and installed_ns_; held across calls into the JVM
  UnannouncedClasses unannounced_;
  Nanos installed_ns_ = 0;
  std::mutex mutex_;  // guards all below; not held across calls into the JVM
  // The names of the classes with probes, and the numbers of their methods.
  std::map<std::string, std::vector<uint32_t>> probed_;
  // The identities (IdentityOf) of classes that ClassFileLoadHook has reported and that are not
  // prepared yet.
  std::vector<uint64_t> loading_;
  // The identities of matching classes that an event has reported; empty in a JVM whose events
  // report all classes.
  std::set<uint64_t> announced_;
};

}  // namespace jprof
