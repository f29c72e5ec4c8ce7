#include "engines/method/class_versions.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/modified_utf8.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"

namespace jprof {
namespace {

// The first release that keeps the class file of a redefinition by itself: OpenJDK 21
// (JDK-7124710).
constexpr int kFirstWithRightFiles = 21;

// Caps announced_, the redefinitions whose first event has come, but not the second. If a
// redefinition fails between the two events, its entry stays.
constexpr size_t kMostAnnounced = 64;

// Returns the field of java.lang.Class that counts the changes of a class; nullptr if this JVM has
// none. Leaves no exception pending.
jfieldID ChangesField(JNIEnv* jni) {
  const jclass of_class = jni->FindClass("java/lang/Class");
  const jfieldID field =
      of_class == nullptr ? nullptr : jni->GetFieldID(of_class, "classRedefinedCount", "I");
  ClearException(jni);
  jni->DeleteLocalRef(of_class);
  return field;
}

// Returns a hash of the bytes; never 0.
uint64_t HashOf(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::hash<std::string_view>()(text) | 1;
}

}  // namespace

ClassVersions& ClassVersions::OfProcess() {
  static auto* const versions = new ClassVersions;
  return *versions;
}

Status ClassVersions::Watch(JvmEvents& events) {
  if (JdkRelease(events.jvmti()) >= kFirstWithRightFiles) return {};
  ClassVersions& versions = OfProcess();
  const std::lock_guard lock(versions.watch_mutex_);
  if (versions.is_watching_) return {};
  const Status begun = versions.Begin(events);
  versions.is_watching_ = begun.ok();
  return begun;
}

// Makes the second environment. It lacks the capability to retransform, because JvmEvents::Create
// requests no capability to change classes in a JVM that is already running. When ClassFileLoadHook
// is first enabled in an environment, the JVM decides whether that environment may retransform.
Status ClassVersions::Begin(JvmEvents& events) {
  JNIEnv* const jni = events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  changes_ = ChangesField(jni);
  if (changes_ == nullptr) return Error("classes of this JVM do not count their changes");
  const Result<JvmEvents*> second = JvmEvents::Create(events.vm());
  if (!second) return second.error();
  Result<JvmEvents::Subscription> redefinitions =
      second.value()->Subscribe(redefinitions_, {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  if (!redefinitions) return redefinitions.error();
  Result<JvmEvents::Subscription> transformations =
      events.Subscribe(transformations_, {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  if (!transformations) return transformations.error();
  // Leaks the subscriptions on purpose: they live forever.
  static_cast<void>(new JvmEvents::Subscription(std::move(redefinitions).value()));
  static_cast<void>(new JvmEvents::Subscription(std::move(transformations).value()));
  return {};
}

void ClassVersions::Listener::OnClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                                  jobject, const char* name, jobject, jint size,
                                                  const unsigned char* bytes, jint* new_size,
                                                  unsigned char** new_bytes) {
  if (redefined == nullptr || jni == nullptr || name == nullptr || size <= 0) return;
  ClassVersions& versions = OfProcess();
  const std::span<const uint8_t> given(bytes, static_cast<size_t>(size));
  const std::string utf8_name = Utf8FromModifiedUtf8(name);
  if (!may_retransform_) return versions.Announce(utf8_name, given);
  const std::lock_guard lock(versions.mutex_);
  const File file = versions.FileOf(jni, redefined, utf8_name, given);
  unsigned char* copy = nullptr;
  if (file.empty() || jvmti->Allocate(static_cast<jlong>(file.size()), &copy) != JVMTI_ERROR_NONE) {
    return;
  }
  memcpy(copy, file.data(), file.size());
  *new_bytes = copy;
  *new_size = static_cast<jint>(file.size());
}

void ClassVersions::Announce(const std::string& name, std::span<const uint8_t> plain) {
  const std::lock_guard lock(mutex_);
  if (announced_.size() == kMostAnnounced) announced_.erase(announced_.begin());
  announced_.push_back({CurrentTid(), name, File(plain.begin(), plain.end())});
}

std::optional<ClassVersions::File> ClassVersions::TakeAnnounced(const std::string& name) {
  const auto found = std::ranges::find_if(announced_, [&](const Announced& each) {
    return each.thread == CurrentTid() && each.name == name;
  });
  if (found == announced_.end()) return std::nullopt;
  File plain = std::move(found->plain);
  announced_.erase(found);
  return plain;
}

ClassVersions::File ClassVersions::FileOf(JNIEnv* jni, jclass redefined, const std::string& name,
                                          std::span<const uint8_t> given) {
  std::optional<File> plain = TakeAnnounced(name);
  Version* const version = FindOrAdd(jni, redefined, name);
  if (version == nullptr) return {};
  Settle(jni, *version);
  if (plain) {
    version->next = NewRedefinition(given, *std::move(plain), version->given);
    version->changes_before = jni->GetIntField(redefined, changes_);
    return {};
  }
  version->given = HashOf(given);
  const Redefinition& last = version->last;
  const bool is_as_then = last.was_given == 0 || last.was_given == version->given;
  return is_as_then || last.plain.empty() ? last.file : last.plain;
}

ClassVersions::Redefinition ClassVersions::NewRedefinition(std::span<const uint8_t> given,
                                                           File plain, uint64_t was_given) {
  Redefinition made;
  made.exists = true;
  made.was_given = was_given;
  if (std::ranges::equal(plain, given)) plain.clear();
  made.is_lost = bytes_ + given.size() + plain.size() > kMostBytes;
  if (made.is_lost) return made;
  made.file.assign(given.begin(), given.end());
  made.plain = std::move(plain);
  bytes_ += made.file.size() + made.plain.size();
  return made;
}

ClassVersions::Version* ClassVersions::Find(JNIEnv* jni, jclass clazz, const std::string& name) {
  const auto named = versions_.find(name);
  if (named == versions_.end()) return nullptr;
  const auto found = std::ranges::find_if(named->second, [&](const Version& version) {
    return jni->IsSameObject(version.clazz, clazz) != JNI_FALSE;
  });
  return found == named->second.end() ? nullptr : &*found;
}

ClassVersions::Version* ClassVersions::FindOrAdd(JNIEnv* jni, jclass clazz,
                                                 const std::string& name) {
  if (Version* const version = Find(jni, clazz, name)) return version;
  const jweak reference = jni->NewWeakGlobalRef(clazz);
  if (reference == nullptr) {
    jni->ExceptionClear();
    return nullptr;
  }
  if (count_ == forget_at_) {
    ForgetUnloaded(jni);
    forget_at_ = std::max(kFewestToForget, 2 * count_);
  }
  Version& added = versions_[name].emplace_back();
  added.clazz = reference;
  ++count_;
  return &added;
}

// Settles `next`, if there is one. If the class has changed since `next` was noted, makes `next`
// the last redefinition. Otherwise the JVM has refused `next`, and it is dropped.
void ClassVersions::Settle(JNIEnv* jni, Version& version) {
  if (!version.next.exists) return;
  Redefinition next = std::exchange(version.next, {});
  const jobject clazz = jni->NewLocalRef(version.clazz);
  if (clazz != nullptr && jni->GetIntField(clazz, changes_) != version.changes_before) {
    std::swap(version.last, next);
  }
  jni->DeleteLocalRef(clazz);
  Drop(next);
}

void ClassVersions::Drop(Redefinition& redefinition) {
  bytes_ -= redefinition.file.size() + redefinition.plain.size();
  redefinition = {};
}

void ClassVersions::ForgetUnloaded(JNIEnv* jni) {
  for (auto named = versions_.begin(); named != versions_.end();) {
    std::erase_if(named->second, [&](Version& version) {
      if (jni->IsSameObject(version.clazz, nullptr) == JNI_FALSE) return false;
      jni->DeleteWeakGlobalRef(version.clazz);
      Drop(version.last);
      Drop(version.next);
      --count_;
      return true;
    });
    named = named->second.empty() ? versions_.erase(named) : std::next(named);
  }
}

std::optional<jint> ClassVersions::ChangesOf(JNIEnv* jni, jclass clazz) {
  const jfieldID changes = ChangesField(jni);
  if (changes == nullptr) return std::nullopt;
  return jni->GetIntField(clazz, changes);
}

bool ClassVersions::IsLost(JNIEnv* jni, jclass clazz, const std::string& name) {
  ClassVersions& versions = OfProcess();
  const std::lock_guard lock(versions.mutex_);
  Version* const version = versions.Find(jni, clazz, name);
  if (version == nullptr) return false;
  versions.Settle(jni, *version);
  return version->last.is_lost;
}

}  // namespace jprof
