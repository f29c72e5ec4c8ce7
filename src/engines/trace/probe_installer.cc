#include "engines/trace/probe_installer.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/modified_utf8.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/method_capture.h"

namespace jprof {
namespace {

constexpr jint kMostLocals = 65536;  // as in jvm/class_catalog.cc

// Those of classes that are never prepared would stay; one that is forgotten is retransformed.
constexpr size_t kMostLoading = 65536;

// A class whose loading has begun before the removal of probes may appear a moment after it.
constexpr int kLooksForLateClasses = 10;
constexpr useconds_t kBetweenLooksUs = 20'000;

std::string Dotted(std::string text) {
  std::ranges::replace(text, '/', '.');
  return text;
}

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

}  // namespace

ProbeInstaller::ProbeInstaller(JvmEvents& events, ProbeUser& user,
                               std::vector<MethodPattern> patterns)
    : events_(events), user_(user), choice_(std::move(patterns)) {}

Status ProbeInstaller::Install(JNIEnv* jni) {
  jvmtiEnv* const jvmti = events_.jvmti();
  const Result<RetransformTerms> terms = AllowRetransformation(jvmti);
  if (!terms) return terms.error();
  is_probing_.store(true, std::memory_order_relaxed);
  Result<JvmEvents::Subscription> subscription =
      events_.Subscribe(*this, {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();

  const LocalFrame frame(jni, kMostLocals);
  Result<std::vector<jclass>> loaded = LoadedClasses(
      jvmti, jni, [this](std::string_view name) { return choice_.MatchesClass(name); });
  if (!loaded) return loaded.error();
  std::vector<RefusedClass> refused;
  std::erase_if(loaded.value(), [&](jclass clazz) {
    jboolean is_modifiable = JNI_FALSE;
    static_cast<void>(jvmti->IsModifiableClass(clazz, &is_modifiable));
    if (is_modifiable != JNI_FALSE) return !IsPrepared(jvmti, clazz);
    refused.push_back({clazz, JVMTI_ERROR_UNMODIFIABLE_CLASS});
    choice_.MarkMatched(ClassName(jvmti, clazz));
    return true;
  });
  if (terms.value().costs_compiled_code && !loaded.value().empty()) {
    notes_.Add(
        "warning: this JVM compiles all of its code again now, which slows the program down for a "
        "moment; an agent that is loaded at the launch of the program avoids that");
  }
  NoteRefused(jvmti, refused);
  NoteRefused(jvmti, Retransform(jvmti, loaded.value()));
  for (const std::string& text : choice_.Unmatched()) {
    notes_.Add("no class that is loaded has a method " + text +
               ": it is probed as soon as one is loaded");
  }
  return {};
}

bool ProbeInstaller::Remove(JNIEnv* jni) {
  is_probing_.store(false, std::memory_order_relaxed);
  if (!events_.is_ending()) RestoreClasses(jni);
  const bool may_go = subscription_.CancelAndWait();
  const std::lock_guard lock(mutex_);
  probed_.clear();
  loading_.clear();
  return may_go;
}

void ProbeInstaller::RestoreClasses(JNIEnv* jni) {
  jvmtiEnv* const jvmti = events_.jvmti();
  std::set<std::string> restored;
  for (int look = 0; look < kLooksForLateClasses; ++look) {
    if (AllProbedAreIn(restored)) break;
    if (look != 0) usleep(kBetweenLooksUs);
    const LocalFrame frame(jni, kMostLocals);
    const Result<std::vector<jclass>> loaded =
        LoadedClasses(jvmti, jni, [&](std::string_view name) {
          const std::lock_guard lock(mutex_);
          std::string key(name);
          return probed_.count(key) != 0 && restored.count(key) == 0;
        });
    if (!loaded) break;
    for (const jclass clazz : loaded.value()) restored.insert(ClassName(jvmti, clazz));
    for (const RefusedClass& each : Retransform(jvmti, loaded.value())) {
      notes_.Add("warning: probes that do nothing stay in " + Dotted(ClassName(jvmti, each.clazz)) +
                 ": " + RefusalText(each.error));
    }
  }
}

void ProbeInstaller::OnClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                         jobject loader, const char* name, jobject, jint size,
                                         const unsigned char* bytes, jint* new_size,
                                         unsigned char** new_bytes) {
  if (!is_probing_.load(std::memory_order_relaxed) || name == nullptr || size <= 0) return;
  const std::string utf8_name = Utf8FromModifiedUtf8(name);
  if (jni == nullptr || !choice_.MatchesClass(utf8_name)) return;
  const LocalFrame frame(jni, 8);
  if (redefined == nullptr) {
    const uint64_t identity = IdentityOf(jvmti, utf8_name, loader);
    const std::lock_guard lock(mutex_);
    if (loading_.size() < kMostLoading) loading_.push_back(identity);
  }
  // Another installer may have been first.
  const bool is_changed = *new_bytes != nullptr;
  const std::vector<uint8_t> probed =
      Probe(jni, ClassBeingLoaded(jvmti, jni, name, loader, redefined),
            {is_changed ? *new_bytes : bytes, static_cast<size_t>(is_changed ? *new_size : size)});
  if (probed.empty()) return;
  unsigned char* copy = nullptr;
  if (jvmti->Allocate(static_cast<jlong>(probed.size()), &copy) != JVMTI_ERROR_NONE) return;
  memcpy(copy, probed.data(), probed.size());
  if (is_changed) jvmti->Deallocate(*new_bytes);
  *new_bytes = copy;
  *new_size = static_cast<jint>(probed.size());
}

// On the thread that prepares the class, before any of its methods can be called.
void ProbeInstaller::OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) {
  if (!is_probing_.load(std::memory_order_relaxed) || events_.is_ending()) return;
  const std::string name = ClassName(jvmti, prepared);
  if (!choice_.MatchesClass(name) || MethodChoice::ExclusionOf(name) != nullptr) return;
  const LocalFrame frame(jni, 8);
  jobject loader = nullptr;
  static_cast<void>(jvmti->GetClassLoader(prepared, &loader));
  const uint64_t identity = IdentityOf(jvmti, name, loader);
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(loading_, identity) != 0) return;
  }
  NoteRefused(jvmti, Retransform(jvmti, {&prepared, 1}));
}

std::vector<uint8_t> ProbeInstaller::Probe(JNIEnv* jni,
                                           const std::shared_ptr<const ClassInfo>& declaring,
                                           std::span<const uint8_t> bytes) {
  if (const char* const reason = MethodChoice::ExclusionOf(declaring->name)) {
    if (*reason == '\0') return {};
    notes_.Add("warning: " + Dotted(declaring->name) + " is not probed: " + reason);
    choice_.MarkMatched(declaring->name);
    return {};
  }
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
          if (!number) notes_.AddUnnumbered();
          return number;
        },
        &report);
    if (!more) {
      notes_.Add("warning: " + Dotted(declaring->name) +
                 " is not probed: " + more.error().message());
    } else if (!more.value().empty()) {
      probed = std::move(more).value();
    }
  }
  Account(declaring->name, report);
  return probed;
}

void ProbeInstaller::Account(const std::string& class_name, const instrument::ProbeReport& report) {
  std::vector<uint32_t> numbers;
  for (const instrument::MethodReport& method : report.methods) {
    user_.SetProbed(method.id, !method.not_probed);
    if (!method.not_probed) numbers.push_back(method.id);
    if (!method.not_probed && !method.is_intrinsic) continue;
    const std::string text = "warning: " + Dotted(class_name) + '.' +
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

void ProbeInstaller::NoteRefused(jvmtiEnv* jvmti, const std::vector<RefusedClass>& refused) {
  for (const RefusedClass& each : refused) {
    const std::string name = ClassName(jvmti, each.clazz);
    {
      const std::lock_guard lock(mutex_);
      for (const uint32_t number : probed_[name]) user_.SetProbed(number, false);
      probed_.erase(name);
    }
    notes_.Add("warning: " + Dotted(name) + " is not probed: " + RefusalText(each.error));
  }
}

bool ProbeInstaller::AllProbedAreIn(const std::set<std::string>& names) {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(probed_,
                             [&](const auto& each) { return names.count(each.first) != 0; });
}

}  // namespace jprof
