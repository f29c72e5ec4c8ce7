#include "engines/method/probe_installer.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "base/modified_utf8.h"
#include "base/scaled_text.h"
#include "engines/method/class_versions.h"
#include "engines/method/retransformation.h"
#include "engines/method/traced_methods.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/method_capture.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr size_t kMostNotes = 20;

// Caps loading_, where the entry of a class that is never prepared stays forever. A class without
// an entry is retransformed when it is prepared.
constexpr size_t kMostLoading = 65536;

std::shared_ptr<const ClassInfo> ClassBeingLoaded(jvmtiEnv* jvmti, JNIEnv* jni, const char* name,
                                                  jobject loader, jclass redefined) {
  auto info = std::make_shared<ClassInfo>();
  info->name = Utf8FromModifiedUtf8(name);
  if (loader != nullptr) info->loader = MakeLoader(JvmtiLoader(jvmti, jni, loader).texts());
  jint modifiers = 0;
  if (redefined != nullptr && jvmti->GetClassModifiers(redefined, &modifiers) == JVMTI_ERROR_NONE) {
    info->modifiers = static_cast<uint32_t>(modifiers);
  }
  return info;
}

// ---- resolution of the probe class, which is the class that probes call
//
// When the first probe of a method runs, the JVM resolves the probe class by asking the class
// loader of the method's class. This runs Java code of the loader, or of a security manager that
// the loader asks. If that code has probes too, resolving the probe class for them would run the
// same code, and recurse without end. If the loader does not find the probe class, the program
// would get a NoClassDefFoundError. Neither the recursion nor the error can happen if the loader
// has found the probe class before, because the JVM then only reads a table.

constexpr jint kLocals = 8;  // local references of one resolution

jstring JavaName(JNIEnv* jni, std::string_view name) {
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  return jni->NewStringUTF(dotted.c_str());
}

// Returns java.lang.Class, without FindClass, which asks the loader of the calling method.
jclass ClassOfClasses(JNIEnv* jni, jobject object) {
  return jni->GetObjectClass(jni->GetObjectClass(object));
}

// Makes the loader find the class, on behalf of `referrer`. Calls the private Class.forName0. In a
// JDK without it, calls the public Class.forName, which takes its caller from the stack instead of
// `referrer`. A security manager checks the protection domain of the referrer. forName0, and
// findLoadedClass0 in FindLoaded, are the same from jdk8u to jdk-25
// (src/java.base/share/classes/java/lang/{Class,ClassLoader}.java).
jobject ForName(JNIEnv* jni, jstring name, jobject loader, jclass referrer) {
  const jclass classes = ClassOfClasses(jni, loader);
  jmethodID for_name = jni->GetStaticMethodID(
      classes, "forName0",
      "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;");
  if (for_name != nullptr) {
    return jni->CallStaticObjectMethod(classes, for_name, name, JNI_FALSE, loader, referrer);
  }
  jni->ExceptionClear();
  for_name = jni->GetStaticMethodID(
      classes, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
  if (for_name == nullptr) return nullptr;
  return jni->CallStaticObjectMethod(classes, for_name, name, JNI_FALSE, loader);
}

// Returns the class if the loader has found it before; else nullptr.
jobject FindLoaded(JNIEnv* jni, jstring name, jobject loader) {
  // GetMethodID also finds a private method of a superclass.
  const jmethodID find = jni->GetMethodID(jni->GetObjectClass(loader), "findLoadedClass0",
                                          "(Ljava/lang/String;)Ljava/lang/Class;");
  return find == nullptr ? nullptr : jni->CallObjectMethod(loader, find, name);
}

// True if `found` is a class and no exception was thrown. Clears the exception.
bool IsFound(JNIEnv* jni, jobject found) {
  const bool has_thrown = jni->ExceptionCheck() != JNI_FALSE;
  if (has_thrown) jni->ExceptionClear();
  return found != nullptr && !has_thrown;
}

// True if `loader` has found the class `name` (internal form) before, so that the JVM will not ask
// the loader again. Calls no code of the loader. `loader` is nullptr for the boot loader, which has
// the class.
bool HasFoundProbeClass(JNIEnv* jni, std::string_view name, jobject loader) {
  if (loader == nullptr) return true;
  const LocalFrame frame(jni, kLocals);
  const jstring text = JavaName(jni, name);
  return IsFound(jni, text == nullptr ? nullptr : FindLoaded(jni, text, loader));
}

// Makes the JVM resolve the class by `loader`, on behalf of its class `referrer`. Runs code of the
// loader and of the security manager; returns false if either refuses. REQUIRES: the JVM is not
// reading a class of the loader on this thread, because the loader's code might need that class.
bool ResolveProbeClass(JNIEnv* jni, std::string_view name, jobject loader, jclass referrer) {
  if (loader == nullptr) return true;
  const LocalFrame frame(jni, kLocals);
  const jstring text = JavaName(jni, name);
  return IsFound(jni, text == nullptr ? nullptr : ForName(jni, text, loader, referrer));
}

}  // namespace

void ProbeNotes::Add(std::string line) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::count(lines_, line) != 0) return;
  if (lines_.size() == kMostNotes) {
    ++omitted_;
  } else {
    lines_.push_back(std::move(line));
  }
}

void ProbeNotes::AddUnnumbered() {
  const std::lock_guard lock(mutex_);
  ++unnumbered_;
}

std::vector<std::string> ProbeNotes::Take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = std::exchange(lines_, {});
  if (omitted_ != 0) {
    notes.push_back("warning: " + std::to_string(std::exchange(omitted_, 0)) +
                    " more of this kind");
  }
  if (unnumbered_ != 0) {
    notes.push_back("warning: " + std::to_string(std::exchange(unnumbered_, 0)) +
                    " methods more are not traced: " + std::to_string(TracedMethods::kMost) +
                    " at a time are the limit");
  }
  return notes;
}

ProbeInstaller::ProbeInstaller(JvmEvents& events, ProbeRound& round, ProbeUser& user,
                               std::vector<MethodPattern> patterns, Unmatched unmatched)
    : events_(events),
      round_(round),
      user_(user),
      choice_(std::move(patterns)),
      unmatched_(unmatched),
      may_miss_classes_(round.Unannounced().MayExist()) {}

Status ProbeInstaller::Install() {
  const Result<RetransformTerms> terms = AllowRetransformation(events_.jvmti());
  if (!terms) return terms.error();
  const Status watched = ClassVersions::Watch(events_);
  if (!watched) return watched;
  is_probing_.store(true, std::memory_order_relaxed);
  Result<JvmEvents::Subscription> subscription =
      events_.Subscribe(*this, {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  round_.Insert(*this, terms.value());
  return {};
}

bool ProbeInstaller::Remove() {
  const bool may_go = StopListening();
  round_.Restore(ForgetClasses());
  return may_go;
}

bool ProbeInstaller::LeaveProbes() {
  const bool may_go = StopListening();
  ForgetClasses();
  return may_go;
}

bool ProbeInstaller::HasProbes() {
  const std::lock_guard lock(mutex_);
  return !probed_.empty();
}

bool ProbeInstaller::StopListening() {
  is_probing_.store(false, std::memory_order_relaxed);
  round_.Forget(*this);
  NoteUncounted();
  return subscription_.CancelAndWait();
}

std::set<std::string> ProbeInstaller::ForgetClasses() {
  std::set<std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& each : probed_) names.insert(each.first);
  probed_.clear();
  loading_.clear();
  announced_.clear();
  return names;
}

void ProbeInstaller::OnClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                         jobject loader, const char* name, jobject, jint size,
                                         const unsigned char* bytes, jint* new_size,
                                         unsigned char** new_bytes) {
  if (!is_probing_.load(std::memory_order_relaxed) || name == nullptr || size <= 0) return;
  const std::string utf8_name = Utf8FromModifiedUtf8(name);
  if (jni == nullptr || !choice_.MatchesClass(utf8_name)) return;
  const LocalFrame frame(jni, 8);
  // If another installer has added probes already, adds our probes to the result of that one.
  const bool is_changed = *new_bytes != nullptr;
  const std::optional<std::vector<uint8_t>> probed =
      Probe(jni, {ClassBeingLoaded(jvmti, jni, name, loader, redefined), loader, redefined},
            {is_changed ? *new_bytes : bytes, static_cast<size_t>(is_changed ? *new_size : size)});
  if (!probed) return;
  {
    const uint64_t identity = IdentityOf(jvmti, utf8_name, loader);
    const std::lock_guard lock(mutex_);
    if (redefined == nullptr && loading_.size() < kMostLoading) loading_.push_back(identity);
    if (may_miss_classes_) announced_.insert(identity);
  }
  if (probed->empty()) return;
  unsigned char* copy = nullptr;
  if (jvmti->Allocate(static_cast<jlong>(probed->size()), &copy) != JVMTI_ERROR_NONE) {
    NoteUnprobed(utf8_name, RefusalText(JVMTI_ERROR_OUT_OF_MEMORY));
    return;
  }
  memcpy(copy, probed->data(), probed->size());
  if (is_changed) jvmti->Deallocate(*new_bytes);
  *new_bytes = copy;
  *new_size = static_cast<jint>(probed->size());
}

// Called on the thread that prepares the class, before any of its methods can be called.
void ProbeInstaller::OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) {
  if (!is_probing_.load(std::memory_order_relaxed) || events_.is_ending()) return;
  const std::string name = ClassName(jvmti, prepared);
  if (!choice_.MatchesClass(name) || MethodChoice::ExclusionOf(name) != nullptr) return;
  const LocalFrame frame(jni, 8);
  jobject loader = nullptr;
  static_cast<void>(jvmti->GetClassLoader(prepared, &loader));
  const uint64_t identity = IdentityOf(jvmti, name, loader);
  bool is_seen = false;
  bool is_probed = false;
  {
    const std::lock_guard lock(mutex_);
    is_seen = std::erase(loading_, identity) != 0;
    is_probed = probed_.count(name) != 0;
  }
  // If the class has probes but cannot call them, the retransformation takes the probes out.
  if (is_seen && (!is_probed || CanCallProbes(jni, loader, prepared))) return;
  for (const RefusedClass& each : Retransform(jvmti, {&prepared, 1})) NoteRefused(name, each.error);
}

void ProbeInstaller::BeginToLook() {
  if (!may_miss_classes_) return;
  const std::lock_guard looking(looking_);
  unannounced_ = round_.Unannounced();
  installed_ns_ = MonotonicNanos();
}

void ProbeInstaller::ProbeUnannounced(JNIEnv* jni, Look look) {
  const std::lock_guard looking(looking_);
  if (!is_probing_.load(std::memory_order_relaxed) || events_.is_ending()) return;
  const bool is_due = unannounced_.IsDue(MonotonicNanos());
  if (look == Look::kIfDue ? !is_due : !unannounced_.MayExist()) return;
  const LocalFrame frame(jni, LocalFrame::kMost);
  const std::vector<jclass> late = TakeUnannounced(jni);
  for (const jclass each : late) {
    notes_.Add("warning: calls of " + DottedName(ClassName(events_.jvmti(), each)) +
               " count from " + RoundedDurationText(MonotonicNanos() - installed_ns_) +
               " after the start on: the JVM loaded the class without announcing it");
  }
  for (const RefusedClass& each : Retransform(events_.jvmti(), late)) {
    NoteRefused(ClassName(events_.jvmti(), each.clazz), each.error);
  }
}

std::vector<jclass> ProbeInstaller::TakeUnannounced(JNIEnv* jni) {
  jvmtiEnv* const jvmti = events_.jvmti();
  Result<std::vector<jclass>> loaded = LoadedClasses(jvmti, jni, [&](std::string_view name) {
    return Wants(name) && MethodChoice::ExclusionOf(name) == nullptr;
  });
  if (!loaded) return {};
  std::set<uint64_t> listed;
  std::erase_if(loaded.value(), [&](jclass each) {
    jboolean is_modifiable = JNI_FALSE;
    static_cast<void>(jvmti->IsModifiableClass(each, &is_modifiable));
    jobject loader = nullptr;
    static_cast<void>(jvmti->GetClassLoader(each, &loader));
    const uint64_t identity = IdentityOf(jvmti, ClassName(jvmti, each), loader);
    jni->DeleteLocalRef(loader);
    listed.insert(identity);
    if (is_modifiable == JNI_FALSE || !IsPrepared(jvmti, each)) return true;
    const std::lock_guard lock(mutex_);
    return !announced_.insert(identity).second;
  });
  TrimAnnounced(listed);
  return std::move(loaded).value();
}

void ProbeInstaller::TrimAnnounced(const std::set<uint64_t>& loaded) {
  const std::lock_guard lock(mutex_);
  if (announced_.size() < loaded.size() + kMostLoading) return;
  std::erase_if(announced_, [&](uint64_t identity) {
    return !loaded.contains(identity) && std::ranges::count(loading_, identity) == 0;
  });
}

void ProbeInstaller::NoteUncounted() {
  const std::lock_guard looking(looking_);
  JNIEnv* const jni = events_.CurrentJni();
  const bool may_exist = std::exchange(unannounced_, {}).MayExist();
  if (!may_exist || jni == nullptr) return;
  const LocalFrame frame(jni, LocalFrame::kMost);
  for (const jclass each : TakeUnannounced(jni)) {
    notes_.Add("warning: calls of " + DottedName(ClassName(events_.jvmti(), each)) +
               " do not count: the JVM loaded the class without announcing it");
  }
}

bool ProbeInstaller::IsExcluded(const std::string& class_name) {
  const char* const reason = MethodChoice::ExclusionOf(class_name);
  if (reason == nullptr) return false;
  if (*reason == '\0') return true;
  notes_.Add("warning: " + DottedName(class_name) + " is not probed: " + reason);
  choice_.MarkMatched(class_name);
  return true;
}

std::optional<std::vector<uint8_t>> ProbeInstaller::Probe(JNIEnv* jni, const HookedClass& hooked,
                                                          std::span<const uint8_t> bytes) {
  const std::shared_ptr<const ClassInfo>& declaring = hooked.info;
  if (IsExcluded(declaring->name)) return std::vector<uint8_t>();
  instrument::ProbeReport report;
  std::vector<uint8_t> probed;
  for (const bool is_counted : {false, true}) {
    if (!choice_.MatchesClass(declaring->name, is_counted)) continue;
    Result<std::vector<uint8_t>> more = instrument::AddProbes(
        probed.empty() ? bytes : probed, user_.ProbedBy(is_counted),
        [&](const instrument::MethodToProbe& method) -> std::optional<uint32_t> {
          std::optional<TracedMethod> traced = choice_.Choose(declaring, method, is_counted);
          if (!traced) return std::nullopt;
          const std::optional<uint32_t> number = user_.NumberFor(jni, *std::move(traced));
          if (!number && user_.WantsEachMethod()) notes_.AddUnnumbered();
          return number;
        },
        &report);
    if (!more) {
      notes_.Add("warning: " + DottedName(declaring->name) +
                 " is not probed: " + more.error().message());
    } else if (!more.value().empty()) {
      probed = std::move(more).value();
    }
  }
  if (!probed.empty() && !CanCallProbes(jni, hooked.loader, hooked.redefined)) {
    // Account is not called, because classes of the same name in other loaders keep their probes.
    if (hooked.redefined != nullptr) {
      notes_.Add("warning: a class " + DottedName(declaring->name) +
                 " is not probed: its class loader does not find the class of the probes");
    }
    return std::nullopt;
  }
  Account(declaring->name, report);
  return probed;
}

void ProbeInstaller::Account(const std::string& class_name, const instrument::ProbeReport& report) {
  std::vector<uint32_t> numbers;
  for (const instrument::MethodReport& method : report.methods) {
    user_.Note(method);
    if (!method.not_probed) numbers.push_back(method.id);
    if (!method.not_probed && !method.is_intrinsic) continue;
    const std::string text = "warning: " + DottedName(class_name) + '.' +
                             Utf8FromModifiedUtf8(method.name) +
                             Utf8FromModifiedUtf8(method.descriptor);
    if (method.not_probed) {
      notes_.Add(text +
                 " is not probed: " + std::string(instrument::NotProbedText(*method.not_probed)));
    } else {
      notes_.Add(text +
                 " may be called more often: the JVM may run its own code instead, uncounted");
    }
  }
  if (numbers.empty()) return;
  const std::lock_guard lock(mutex_);
  probed_[class_name] = std::move(numbers);
}

bool ProbeInstaller::CanCallProbes(JNIEnv* jni, jobject loader, jclass referrer) {
  const std::string_view name = user_.ProbedBy(false).class_name;
  return referrer == nullptr ? HasFoundProbeClass(jni, name, loader)
                             : ResolveProbeClass(jni, name, loader, referrer);
}

void ProbeInstaller::NoteRefused(const std::string& class_name, jvmtiError error) {
  if (!Wants(class_name)) return;
  choice_.MarkMatched(class_name);
  NoteUnprobed(class_name, RefusalText(error));
}

void ProbeInstaller::NoteUnprobed(const std::string& class_name, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    const auto probed = probed_.find(class_name);
    if (probed != probed_.end()) {
      for (const uint32_t number : probed->second) user_.SetProbed(number, false);
      probed_.erase(probed);
    }
  }
  notes_.Add("warning: " + DottedName(class_name) + " is not probed: " + reason);
}

void ProbeInstaller::NoteUnmatched() {
  if (unmatched_ == Unmatched::kExpected) return;
  for (const std::string& text : choice_.Unmatched()) {
    notes_.Add("no class that is loaded has a method " + text +
               ": it is probed as soon as one is loaded");
  }
}

}  // namespace jprof
