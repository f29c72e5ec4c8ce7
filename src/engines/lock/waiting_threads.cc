#include "engines/lock/waiting_threads.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "engines/lock/class_initialization.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {
namespace {

// Returns the address of the ObjectMonitor on which the platform thread waits for a notification.
// Returns 0 if the thread does not wait for one, or if the address is unknown.
uint64_t MonitorOf(int64_t id) {
  const ThreadSlot* const thread = ThreadIds::SlotOf(id);
  const WalkScope scope;
  if (thread == nullptr || !scope || scope.environment().vm == nullptr ||
      scope.environment().faults != LoadFaults::kCaught) {
    return 0;
  }
  return MonitorWaitTimes::MonitorOf(*scope.environment().vm, *thread);
}

constexpr jint kFrames = 1;  // with 0 the JVM would not pause the threads while it inspects them

// Loads the library of the native methods of java.lang.management. Returns false if the JVM does
// not have that library.
bool LoadLibrary(JNIEnv* jni) {
  const jclass loader = jni->FindClass("jdk/internal/loader/BootLoader");
  const jmethodID load =
      loader == nullptr ? nullptr
                        : jni->GetStaticMethodID(loader, "loadLibrary", "(Ljava/lang/String;)V");
  if (load == nullptr) {  // a JDK before 15
    jni->ExceptionClear();
    // The initialization of this class loads the library, and more classes.
    return jni->FindClass("sun/management/ManagementFactoryHelper") != nullptr;
  }
  const jstring name = jni->NewStringUTF("management");
  if (name != nullptr) jni->CallStaticVoidMethod(loader, load, name);
  return name != nullptr && jni->ExceptionCheck() == JNI_FALSE;
}

// Calls the function of the JDK that ThreadMXBean calls to describe threads. Calling the bean
// itself would load a hundred more classes.
struct Management {
  jclass threads = nullptr;        // sun.management.ThreadImpl
  jclass info_class = nullptr;     // java.lang.management.ThreadInfo
  jmethodID find = nullptr;        // ThreadImpl.getThreadInfo1: makes a ThreadInfo for each id
  jmethodID owner_id = nullptr;    // ThreadInfo.getLockOwnerId
  jmethodID lock_info = nullptr;   // ThreadInfo.getLockInfo
  jmethodID class_name = nullptr;  // LockInfo.getClassName
  jmethodID hash = nullptr;        // LockInfo.getIdentityHashCode

  // Finds the classes and methods. Returns false if this JVM does not have all of them. An
  // exception can be pending then, and the caller clears it.
  bool Load(JNIEnv* jni) {
    if (!LoadLibrary(jni)) return false;
    threads = jni->FindClass("sun/management/ThreadImpl");
    if (threads == nullptr) return false;
    info_class = jni->FindClass("java/lang/management/ThreadInfo");
    if (info_class == nullptr) return false;
    const jclass lock_class = jni->FindClass("java/lang/management/LockInfo");
    if (lock_class == nullptr) return false;
    find = jni->GetStaticMethodID(threads, "getThreadInfo1",
                                  "([JI[Ljava/lang/management/ThreadInfo;)V");
    if (find == nullptr) return false;
    const struct {
      jmethodID* id;
      jclass of;
      const char* name;
      const char* descriptor;
    } methods[] = {{&owner_id, info_class, "getLockOwnerId", "()J"},
                   {&lock_info, info_class, "getLockInfo", "()Ljava/lang/management/LockInfo;"},
                   {&class_name, lock_class, "getClassName", "()Ljava/lang/String;"},
                   {&hash, lock_class, "getIdentityHashCode", "()I"}};
    for (const auto& method : methods) {
      *method.id = jni->GetMethodID(method.of, method.name, method.descriptor);
      if (*method.id == nullptr) return false;
    }
    return true;
  }

  // Returns an array of ThreadInfo objects, one for each id. Returns nullptr if that fails; then an
  // exception is pending.
  jobjectArray InfosOf(JNIEnv* jni, const std::vector<jlong>& ids) const {
    const auto count = static_cast<jsize>(ids.size());
    const jlongArray wanted = jni->NewLongArray(count);
    const jobjectArray infos =
        wanted == nullptr ? nullptr : jni->NewObjectArray(count, info_class, nullptr);
    if (infos == nullptr) return nullptr;
    jni->SetLongArrayRegion(wanted, 0, count, ids.data());
    jni->CallStaticVoidMethod(threads, find, wanted, kFrames, infos);
    return jni->ExceptionCheck() != JNI_FALSE ? nullptr : infos;
  }
};

// Returns the JVM signature of a class with the Java name `name`, like "java.lang.Object" or "[I".
std::string SignatureOf(std::string name) {
  std::ranges::replace(name, '.', '/');
  return name.starts_with('[') ? name : 'L' + name + ';';
}

std::string TextOf(JNIEnv* jni, jstring text) {
  const char* const chars = text == nullptr ? nullptr : jni->GetStringUTFChars(text, nullptr);
  if (chars == nullptr) return {};
  std::string copy = chars;
  jni->ReleaseStringUTFChars(text, chars);
  return copy;
}

// Measures the time of one question to the JVM, including the pause of the program for that
// question. Adds the time between the construction and the destruction to `*spent_ns`.
class TimedQuestion {
 public:
  explicit TimedQuestion(Nanos* spent_ns) : spent_ns_(spent_ns) {}
  ~TimedQuestion() { *spent_ns_ += MonotonicNanos() - begin_ns_; }
  TimedQuestion(const TimedQuestion&) = delete;
  TimedQuestion& operator=(const TimedQuestion&) = delete;

 private:
  Nanos* const spent_ns_;
  const Nanos begin_ns_ = MonotonicNanos();
};

}  // namespace

// If a thread waits inside the JVM's own code, its JVMTI state does not show the wait, but
// MonitorOf returns a monitor. The monitor is read before and after the state. If both reads yield
// the same monitor, the thread was in this wait when its state was read.
Result<std::vector<WaitingThread>> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  const ThreadIds& ids) {
  constexpr struct {
    jint state;
    WaitType type;
  } kTypes[] = {{JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, WaitType::kMonitorEnter},
                {JVMTI_THREAD_STATE_IN_OBJECT_WAIT, WaitType::kMonitorWait},
                {JVMTI_THREAD_STATE_PARKED, WaitType::kPark}};
  std::vector<WaitingThread> waiting;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  const Status listed = CheckAccepted(jvmti->GetAllThreads(&count, threads.out()), "GetAllThreads");
  if (!listed) return listed.error();
  for (jint i = 0; i < count; ++i) {
    const int64_t id = ids.Of(jni, threads[i]);
    const uint64_t monitor = MonitorOf(id);
    jint state = 0;
    if (jvmti->GetThreadState(threads[i], &state) != JVMTI_ERROR_NONE) continue;
    const auto* const row = std::ranges::find_if(
        kTypes, [state](const auto& type) { return (state & type.state) != 0; });
    if (row != std::end(kTypes)) {
      waiting.push_back({threads[i], id, row->type});
    } else if (monitor != 0 && MonitorOf(id) == monitor) {
      waiting.push_back({threads[i], id, WaitType::kMonitorWait, monitor});
    }
  }
  return waiting;
}

bool HasFrameOf(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jint depth, const char* signature) {
  constexpr jint kMost = 8;
  JPROF_CHECK(depth <= kMost);
  jvmtiFrameInfo frames[kMost];
  jint count = 0;
  if (jvmti->GetStackTrace(thread, 0, depth, frames, &count) != JVMTI_ERROR_NONE) return false;
  for (jint i = 0; i < count; ++i) {
    const LocalFrame locals(jni, 1);
    jclass declaring = nullptr;
    JvmtiPtr<char> name(jvmti);
    if (jvmti->GetMethodDeclaringClass(frames[i].method, &declaring) == JVMTI_ERROR_NONE &&
        jvmti->GetClassSignature(declaring, name.out(), nullptr) == JVMTI_ERROR_NONE &&
        strcmp(name.get(), signature) == 0) {
      return true;
    }
  }
  return false;
}

void LocksAtStart::Find(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<WaitingThread>& waiting) {
  std::vector<jlong> ids;
  bool is_contended = false;
  for (const WaitingThread& each : waiting) {
    if (each.type == WaitType::kPark || each.is_class_initialization()) continue;
    is_contended |= each.type == WaitType::kMonitorEnter;
    ids.push_back(each.id);
  }
  if (!is_contended) return;
  const LocalFrame frame(jni, 16);
  Management management;
  const jobjectArray infos = management.Load(jni) ? management.InfosOf(jni, ids) : nullptr;
  static_cast<void>(ClearException(jni));
  if (infos == nullptr) return;
  std::multimap<std::string, int64_t> threads;  // ids by the signature of the lock's class
  for (jsize i = 0; i < static_cast<jsize>(ids.size()); ++i) {
    const LocalFrame locals(jni, 4);
    const jobject info = jni->GetObjectArrayElement(infos, i);
    const jobject lock =
        info == nullptr ? nullptr : jni->CallObjectMethod(info, management.lock_info);
    if (lock == nullptr) continue;  // the thread no longer waits
    const auto name = static_cast<jstring>(jni->CallObjectMethod(lock, management.class_name));
    threads.emplace(SignatureOf(TextOf(jni, name)), ids[i]);
    locks_[ids[i]] = {nullptr, static_cast<uint32_t>(jni->CallIntMethod(lock, management.hash)),
                      jni->CallLongMethod(info, management.owner_id)};
  }
  static_cast<void>(ClearException(jni));
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count && !threads.empty(); ++i) {
    JvmtiPtr<char> signature(jvmti);
    if (jvmti->GetClassSignature(classes[i], signature.out(), nullptr) != JVMTI_ERROR_NONE) {
      continue;
    }
    const auto [begin, end] = threads.equal_range(signature.get());
    for (auto thread = begin; thread != end; ++thread) {
      locks_[thread->second].lock_class = jni->NewWeakGlobalRef(classes[i]);
    }
    threads.erase(begin, end);
  }
  static_cast<void>(ClearException(jni));
}

const LocksAtStart::Lock* LocksAtStart::Of(int64_t thread) const {
  const auto found = locks_.find(thread);
  return found == locks_.end() ? nullptr : &found->second;
}

void LocksAtStart::Forget(JNIEnv* jni) {
  for (const auto& [thread, lock] : locks_) {
    if (lock.lock_class != nullptr) jni->DeleteWeakGlobalRef(lock.lock_class);
  }
  locks_.clear();
}

AskedMonitors::AskedMonitors(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids)
    : jvmti_(jvmti), jni_(jni), ids_(ids) {
  jvmtiCapabilities capabilities{};
  answers_awaited_by_ = jvmti->GetCapabilities(&capabilities) == JVMTI_ERROR_NONE &&
                        capabilities.can_get_current_contended_monitor != 0;
}

bool AskedMonitors::HasTime() {
  if (spent_ns_ < kMostAsking) return true;
  ++left_out_;
  return false;
}

jobject AskedMonitors::AwaitedBy(jthread thread) {
  if (!answers_awaited_by_ || !HasTime()) return nullptr;
  const TimedQuestion question(&spent_ns_);
  jobject awaited = nullptr;
  const jvmtiError error = jvmti_->GetCurrentContendedMonitor(thread, &awaited);
  return error == JVMTI_ERROR_NONE ? awaited : nullptr;
}

SampledThread AskedMonitors::OwnerOf(jobject object) {
  jint hash = 0;
  static_cast<void>(jvmti_->GetObjectHashCode(object, &hash));
  const auto [begin, end] = owners_.equal_range(hash);
  for (auto asked = begin; asked != end; ++asked) {
    if (jni_->IsSameObject(asked->second.object, object) != JNI_FALSE) return asked->second.owner;
  }
  if (!HasTime()) return {};
  const TimedQuestion question(&spent_ns_);
  const LocalFrame frame(jni_, 16);
  jvmtiMonitorUsage usage{};
  SampledThread owner;
  if (jvmti_->GetObjectMonitorUsage(object, &usage) == JVMTI_ERROR_NONE) {
    owner = ThreadIds::Signed(ids_.SignedOf(jni_, usage.owner));
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(usage.waiters));
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(usage.notify_waiters));
  }
  owners_.emplace(hash, Asked{object, owner});
  return owner;
}

}  // namespace jprof
