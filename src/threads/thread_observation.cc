#include "threads/thread_observation.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "base/modified_utf8.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/clock.h"

namespace jprof {

JavaThreads::JavaThreads(jvmtiEnv* jvmti, JNIEnv* jni, const VmStructs& structs)
    : jvmti_(jvmti), layout_(ReadJavaThreadLayout(structs)) {
  const LocalFrame frame(jni, 8);
  jthread current = nullptr;
  ran_out_of_memory_ = jvmti->GetCurrentThread(&current) == JVMTI_ERROR_OUT_OF_MEMORY;
  if (current == nullptr) return;
  const auto has_failed = [this, jni] {
    const ClearedException cleared = ClearException(jni);
    ran_out_of_memory_ |= cleared == ClearedException::kOutOfMemory;
    return cleared != ClearedException::kNone;
  };
  const auto class_of = [&](const char* name) {
    const jclass found = jni->FindClass(name);
    return has_failed() ? nullptr : found;
  };
  const auto field_of = [&](jclass holder, const char* name, const char* signature) {
    if (holder == nullptr) return static_cast<jfieldID>(nullptr);
    const jfieldID field = jni->GetFieldID(holder, name, signature);
    return has_failed() ? nullptr : field;
  };
  const jclass thread_class = class_of("java/lang/Thread");
  thread_id_ = field_of(thread_class, "tid", "J");
  name_ = field_of(thread_class, "name", "Ljava/lang/String;");
  // JDK 19 and later have the group in an object of the class FieldHolder. An earlier JDK is not asked
  // for this field, because its error would initialise classes that the program does not use.
  constexpr jint kFirstWithHolder = 0x00130000;  // JNI_VERSION_19
  jclass holder_class = thread_class;
  if (jni->GetVersion() >= kFirstWithHolder) {
    holder_ = field_of(thread_class, "holder", "Ljava/lang/Thread$FieldHolder;");
    holder_class = holder_ == nullptr ? nullptr : class_of("java/lang/Thread$FieldHolder");
  }
  group_ = field_of(holder_class, "group", "Ljava/lang/ThreadGroup;");
  const jclass group_class = class_of("java/lang/ThreadGroup");
  group_name_ = field_of(group_class, "name", "Ljava/lang/String;");
  group_parent_ = field_of(group_class, "parent", "Ljava/lang/ThreadGroup;");
  eetop_ = field_of(thread_class, "eetop", "J");
  if (eetop_ == nullptr) return;
  const jlong java_thread = jni->GetLongField(current, eetop_);
  if (java_thread != 0) env_offset_ = reinterpret_cast<int64_t>(jni) - java_thread;
}

// Reads fields. GetThreadInfo and GetThreadGroupInfo would protect the JVM's list of threads, and
// thereby hold up threads that end meanwhile: in crowds of short threads, that cost 11 us of CPU
// time for each thread.
JavaThreadInfo JavaThreads::Describe(JNIEnv* jni, jthread thread) const {
  const LocalFrame frame(jni, 8);
  JavaThreadInfo result;
  result.name = NameOf(jni, thread).value_or("");
  result.group_path = GroupPath(jni, thread);
  if (thread_id_ != nullptr) result.id = jni->GetLongField(thread, thread_id_);
  return result;
}

// Returns the names of the thread's group and of its parents, the root first; none if the group is
// unknown.
std::vector<std::string> JavaThreads::GroupPath(JNIEnv* jni, jthread thread) const {
  std::vector<std::string> path;
  if (group_ == nullptr || group_name_ == nullptr || group_parent_ == nullptr) return path;
  const jobject holder = holder_ == nullptr ? thread : jni->GetObjectField(thread, holder_);
  jobject group = holder == nullptr ? nullptr : jni->GetObjectField(holder, group_);
  while (group != nullptr) {
    path.push_back(TextOf(jni, group, group_name_).value_or(""));
    const jobject parent = jni->GetObjectField(group, group_parent_);
    jni->DeleteLocalRef(group);
    group = parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<JavaThreads::Existing> JavaThreads::All(JNIEnv* jni, std::string* missing) const {
  std::vector<Existing> found;
  if (!env_offset_ || !layout_.thread_osthread.exists() || !layout_.osthread_thread_id.exists()) {
    *missing = "this JVM does not say which kernel thread a Java thread is";
    return found;
  }
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  const jvmtiError error = jvmti_->GetAllThreads(&count, threads.out());
  if (error != JVMTI_ERROR_NONE) {
    *missing = "GetAllThreads: JVMTI error " + std::to_string(error);
    return found;
  }
  for (jint i = 0; i < count; ++i) {
    JavaThreadInfo info = Describe(jni, threads[i]);
    // Reads eetop last and uses it at once, because eetop becomes 0 when the thread ends.
    const jlong java_thread = jni->GetLongField(threads[i], eetop_);
    jni->DeleteLocalRef(threads[i]);
    if (java_thread == 0) continue;
    const auto object = static_cast<uint64_t>(java_thread);
    const std::optional<Tid> tid = SafeThreadIdOf(layout_, object);
    if (!tid) continue;
    found.push_back({*tid, reinterpret_cast<void*>(java_thread + *env_offset_), std::move(info),
                     SafeStackBoundsOf(layout_, object)});
  }
  return found;
}

std::optional<std::string> JavaThreads::NameOf(JNIEnv* jni, jthread thread) const {
  if (name_ == nullptr) return std::nullopt;
  return TextOf(jni, thread, name_);
}

// Returns the text of a field of the type String; nullopt if it is null.
std::optional<std::string> JavaThreads::TextOf(JNIEnv* jni, jobject object, jfieldID field) {
  const auto name = static_cast<jstring>(jni->GetObjectField(object, field));
  if (name == nullptr) return std::nullopt;
  // The text is modified UTF-8, which contains no zero byte. The buffer has one more byte, because
  // the VM writes a zero byte after the text.
  std::string text(static_cast<size_t>(jni->GetStringUTFLength(name)) + 1, '\0');
  jni->GetStringUTFRegion(name, 0, jni->GetStringLength(name), text.data());
  jni->DeleteLocalRef(name);
  text.pop_back();
  return Utf8FromModifiedUtf8(text);
}

void JavaThreads::Reread(JNIEnv* jni, ThreadNames& names) const {
  if (name_ == nullptr || thread_id_ == nullptr) return;
  const Nanos now_ns = MonotonicNanos();
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  if (jvmti_->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return;
  std::unordered_map<int64_t, std::string> found;
  found.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i) {
    std::optional<std::string> name = NameOf(jni, threads[i]);
    if (name) found.emplace(jni->GetLongField(threads[i], thread_id_), *std::move(name));
    jni->DeleteLocalRef(threads[i]);
  }
  names.SetJavaNames(found, now_ns);
}

Status ThreadObservation::Begin(JvmEvents& events, JNIEnv* jni, PrimingPaths paths) {
  const Status subscribed = Subscribe(events, paths);
  if (!subscribed) return subscribed;
  if (paths.Has(PrimingPath::kHook)) HookNativeThreads();
  if (paths.Has(PrimingPath::kScan)) {
    const Status scanned = registry_.Rescan();
    if (!scanned) return scanned;
  }
  if (paths.Has(PrimingPath::kJvmti)) ListJavaThreads(jni);
  return {};
}

Status ThreadObservation::Subscribe(JvmEvents& events, PrimingPaths paths) {
  if (paths.Has(PrimingPath::kJvmti)) {
    Result<JvmEvents::Subscription> threads =
        events.Subscribe(*this, {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END});
    if (!threads) return threads.error();
    thread_events_ = std::move(threads).value();
  }
  if (paths.Has(PrimingPath::kHook)) {
    Result<JvmEvents::Subscription> binds =
        events.Subscribe(*this, {JVMTI_EVENT_NATIVE_METHOD_BIND});
    if (!binds) return binds.error();
    bind_events_ = std::move(binds).value();
  }
  return {};
}

// Installs the hook on pthread_create. If that fails, native threads are found by the task watcher.
void ThreadObservation::HookNativeThreads() {
  Result<std::unique_ptr<PthreadHook>> hook = PthreadHook::Install(&registry_, kEngineSignals);
  if (!hook) {
    Log::Debug("new native threads are found late: %s", hook.error().message().c_str());
    return;
  }
  {
    const std::lock_guard lock(hook_mutex_);
    hook_ = std::move(hook).value();
  }
  if (const size_t refused = hook_->imports().refused_slots(); refused != 0) {
    Log::Debug("%zu import slots could not be hooked: their new threads are found late", refused);
  }
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
}

void ThreadObservation::ListJavaThreads(JNIEnv* jni) {
  std::string missing;
  for (JavaThreads::Existing& thread : java_threads_.All(jni, &missing)) {
    registry_.SetJavaThread(thread.tid, thread.jni_env, std::move(thread.info), thread.stack);
  }
  registry_.EndJavaThreadList();
  if (!missing.empty()) {
    Log::Warn("threads that were there before the recording have no Java stacks: %s",
              missing.c_str());
  }
}

void ThreadObservation::Unhook() {
  registry_.ExpectNativeEnds(NativeEnds::kSilent);
  const std::lock_guard lock(hook_mutex_);
  hook_.reset();
}

void ThreadObservation::End() {
  Unhook();
  thread_events_.Cancel();
  bind_events_.Cancel();
}

void ThreadObservation::OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  registry_.OnJavaThreadStart(jni, java_threads_.Describe(jni, thread));
}

void ThreadObservation::OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  registry_.OnJavaThreadEnd(jni, java_threads_.NameOf(jni, thread));
}

void ThreadObservation::OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) {
  const std::lock_guard lock(hook_mutex_);
  if (hook_ != nullptr) hook_->imports().CoverNewLibraries();
}

}  // namespace jprof
