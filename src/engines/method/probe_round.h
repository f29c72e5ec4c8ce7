// ProbeRound retransforms, in one call, all classes whose probes change when engines start or stop.
// Each call stops the program for a time that grows with the number of loaded classes.
//
//   ProbeInstaller::Install, Remove ─▶ Insert, Restore ─▶ Run: one RetransformClasses
//
// Used on threads that are attached to the JVM, one call at a time, outside callbacks.
#pragma once

#include <jvmti.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/method/retransformation.h"
#include "jvm/class_catalog.h"
#include "jvm/jvm_events.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

class ProbeInstaller;

class ProbeRound {
 public:
  // REQUIRES: `events` and `structs` outlive the object.
  ProbeRound(JvmEvents& events, const VmStructs& structs) : events_(events), structs_(structs) {}

  // Makes the next Run retransform the loaded classes that the installer's patterns match.
  // REQUIRES: the installer lives until that Run or Forget.
  void Insert(ProbeInstaller& installer, const RetransformTerms& terms);
  // Undoes Insert.
  void Forget(const ProbeInstaller& installer);

  // Makes the next Run retransform the classes with these names, because their code might have
  // probes.
  void Restore(std::set<std::string> names);

  // Retransforms the classes that Insert and Restore have requested; does nothing at the end of the
  // JVM. Returns an Error if there are probes to insert and the loaded classes cannot be listed.
  Status Run(JNIEnv* jni);

  // Returns the object that tells an installer when to look for classes that this JVM has loaded
  // without an event.
  UnannouncedClasses Unannounced() const;

  // Returns notes for the user about the rounds since the last call, a line each.
  std::vector<std::string> TakeNotes();

 private:
  struct Work {
    std::vector<ProbeInstaller*> inserted;
    std::set<std::string> names;     // classes to restore
    std::set<std::string> restored;  // classes among `names` that were found loaded
  };

  Result<std::vector<jclass>> ClassesOf(JNIEnv* jni, Work& work, bool is_first_look);
  // True if a retransformation would undo what another agent has changed in the class.
  bool MustStayUnchanged(JNIEnv* jni, jclass clazz, const std::string& name);
  void Retransform(const Work& work, const std::vector<jclass>& classes);
  void NoteStandstill(Nanos stood_ns);

  JvmEvents& events_;
  const VmStructs& structs_;
  std::vector<ProbeInstaller*> inserted_;
  std::set<std::string> names_;
  bool costs_compiled_code_ = false;
  std::vector<std::string> notes_;
};

}  // namespace jprof
