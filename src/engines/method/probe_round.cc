#include "engines/method/probe_round.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/perf_counters.h"
#include "base/scaled_text.h"
#include "engines/method/class_versions.h"
#include "engines/method/probe_installer.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// A class whose loading began before its probes were removed can appear among the loaded classes a
// moment later, with probes. Therefore Run lists the loaded classes up to this many times.
constexpr int kLooksForLateClasses = 10;
constexpr useconds_t kBetweenLooksUs = 20'000;

constexpr Nanos kLongStandstill = 50'000'000;

// Returns the time in safepoints so far; 0 if the VM has no perf data. The counter grows when a
// safepoint ends, before the thread that requested the safepoint continues. Its unit is the tick,
// which is a nanosecond on Linux (SafepointTracing::end in src/hotspot/share/runtime/safepoint.cpp,
// jdk-17+35).
Nanos SafepointTime(const PerfCounters& counters) {
  const volatile int64_t* const nanos = counters.Number("sun.rt.safepointTime");
  return nanos == nullptr ? 0 : *nanos;
}

}  // namespace

void ProbeRound::Insert(ProbeInstaller& installer, const RetransformTerms& terms) {
  inserted_.push_back(&installer);
  costs_compiled_code_ |= terms.costs_compiled_code;
}

void ProbeRound::Forget(const ProbeInstaller& installer) { std::erase(inserted_, &installer); }

void ProbeRound::Restore(std::set<std::string> names) { names_.merge(std::move(names)); }

Status ProbeRound::Run(JNIEnv* jni) {
  Work work{std::exchange(inserted_, {}), std::exchange(names_, {}), {}};
  if (events_.is_ending()) return {};
  Status listed;
  for (int look = 0; look < kLooksForLateClasses; ++look) {
    const bool is_first_look = look == 0;
    const bool is_done = work.restored.size() == work.names.size();
    if (is_done && (!is_first_look || work.inserted.empty())) break;
    if (!is_first_look) usleep(kBetweenLooksUs);
    const LocalFrame frame(jni, LocalFrame::kMost);
    const Result<std::vector<jclass>> classes = ClassesOf(jni, work, is_first_look);
    listed = classes ? Status() : classes.error();
    if (classes) Retransform(work, classes.value());
    if (!classes && !work.inserted.empty()) return listed;
  }
  if (!listed) {
    notes_.push_back("warning: probes that do nothing stay in classes: " +
                     listed.error().message());
  }
  // Only the first retransformation in a JVM has this cost.
  costs_compiled_code_ = false;
  for (ProbeInstaller* installer : work.inserted) {
    installer->BeginToLook();
    installer->NoteUnmatched();
  }
  return {};
}

// Returns the loaded classes to retransform. Leaves out classes that would get probes and are not
// prepared yet: their ClassPrepare retransforms them.
Result<std::vector<jclass>> ProbeRound::ClassesOf(JNIEnv* jni, Work& work, bool is_first_look) {
  jvmtiEnv* const jvmti = events_.jvmti();
  const std::vector<ProbeInstaller*> inserted =
      is_first_look ? work.inserted : std::vector<ProbeInstaller*>();
  const auto is_left = [&](const std::string& name) {
    return work.names.contains(name) && !work.restored.contains(name);
  };
  Result<std::vector<jclass>> loaded = LoadedClasses(jvmti, jni, [&](std::string_view name) {
    return is_left(std::string(name)) || std::ranges::any_of(inserted, [&](const auto* installer) {
             return installer->Wants(name);
           });
  });
  if (!loaded) return loaded;
  std::set<std::string> restored;
  std::erase_if(loaded.value(), [&](jclass clazz) {
    const std::string name = ClassName(jvmti, clazz);
    if (is_left(name)) {
      restored.insert(name);
      return MustStayUnchanged(jni, clazz, name);
    }
    const bool is_probed = std::ranges::any_of(
        inserted, [&](auto* each) { return each->Wants(name) && !each->IsExcluded(name); });
    if (!is_probed) return true;
    jboolean is_modifiable = JNI_FALSE;
    static_cast<void>(jvmti->IsModifiableClass(clazz, &is_modifiable));
    if (is_modifiable != JNI_FALSE) {
      return !IsPrepared(jvmti, clazz) || MustStayUnchanged(jni, clazz, name);
    }
    for (ProbeInstaller* each : inserted) each->NoteRefused(name, JVMTI_ERROR_UNMODIFIABLE_CLASS);
    return true;
  });
  work.restored.merge(restored);
  return loaded;
}

bool ProbeRound::MustStayUnchanged(JNIEnv* jni, jclass clazz, const std::string& name) {
  if (!ClassVersions::IsLost(jni, clazz, name)) return false;
  notes_.push_back("warning: the code of " + DottedName(name) +
                   " stays as it is: another agent has redefined it, and to change it would undo "
                   "that in this JVM");
  return true;
}

void ProbeRound::Retransform(const Work& work, const std::vector<jclass>& classes) {
  if (classes.empty()) return;
  jvmtiEnv* const jvmti = events_.jvmti();
  if (std::exchange(costs_compiled_code_, false)) {
    notes_.emplace_back(
        "warning: this JVM compiles all of its code again now, which slows the program down for a "
        "moment; an agent that is loaded at the launch of the program avoids that");
  }
  const PerfCounters counters = PerfCounters::Open(structs_.statics.perf_memory);
  const Nanos before_ns = SafepointTime(counters);
  for (const RefusedClass& each : jprof::Retransform(jvmti, classes)) {
    const std::string name = ClassName(jvmti, each.clazz);
    for (ProbeInstaller* installer : work.inserted) installer->NoteRefused(name, each.error);
    if (!work.names.contains(name)) continue;
    notes_.push_back("warning: probes that do nothing stay in " + DottedName(name) + ": " +
                     RefusalText(each.error));
  }
  NoteStandstill(SafepointTime(counters) - before_ns);
}

void ProbeRound::NoteStandstill(Nanos stood_ns) {
  if (stood_ns < kLongStandstill) return;
  notes_.push_back("warning: the program stood still for " + RoundedDurationText(stood_ns) +
                   " while the JVM changed the code of its classes");
}

UnannouncedClasses ProbeRound::Unannounced() const {
  return {JdkRelease(events_.jvmti()), PerfCounters::Open(structs_.statics.perf_memory)};
}

std::vector<std::string> ProbeRound::TakeNotes() { return std::exchange(notes_, {}); }

}  // namespace jprof
