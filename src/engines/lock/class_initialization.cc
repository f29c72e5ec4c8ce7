#include "engines/lock/class_initialization.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "engines/lock/wait_totals.h"
#include "instrument/bytes.h"
#include "instrument/code.h"
#include "instrument/constant_pool.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*);

// The last wait of a slot's thread. There is one object for each slot. Only the slot's thread
// writes the members, except that Start clears `monitor`. `monitor` publishes the other members:
// `monitor` is stored with release after the others are written, and loaded with acquire before the
// others are read. Accesses of the other members are relaxed.
struct Begun {
  std::atomic<uint64_t> monitor{0};  // ObjectMonitor*; 0 if no wait is known
  std::atomic<uint32_t> serial{0};   // serial of the thread
  std::atomic<Nanos> begin_ns{0};
};
using AllBegun = std::array<Begun, ThreadSlots::kCapacity>;

// Returns the address of the monitor in the field `field` of the thread's JavaThread; 0 if there is
// none or the field cannot be read.
uint64_t MonitorAt(const VmField& field, int64_t env_offset, const ThreadSlot& thread) {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  int64_t monitor = 0;
  if (jni_env == nullptr || !field.exists() ||
      !field.Load(JavaThreadOf(jni_env, env_offset), &monitor)) {
    return 0;
  }
  return static_cast<uint64_t>(monitor);
}

// The state of the wrapper; one object for the process, never freed. g_watch is stored with release
// before the wrapper is first installed, and loaded with acquire in the wrapper.
struct Watch {
  VmField waiting_monitor;
  int64_t env_offset;
  AllBegun begun;
};
std::atomic<Watch*> g_watch{nullptr};
std::atomic<Wait> g_original{nullptr};  // stored before the wrapper is first installed

// If the calling thread is about to wait for a notification, notes the time as the start of its
// wait.
void Note() {
  Watch* const watch = g_watch.load(std::memory_order_acquire);
  const ThreadSlot* const thread = CurrentThread();
  if (watch == nullptr || thread == nullptr) return;
  const uint64_t monitor = MonitorAt(watch->waiting_monitor, watch->env_offset, *thread);
  if (monitor == 0) return;
  Begun& begun = watch->begun[thread->index];
  const uint32_t serial = thread->serial.load(kRelaxed);
  // If the thread has woken spuriously and waits again, the wait is still the same, and its start
  // stays as it is.
  if (begun.monitor.load(kRelaxed) == monitor && begun.serial.load(kRelaxed) == serial) return;
  begun.monitor.store(0, std::memory_order_release);
  begun.serial.store(serial, kRelaxed);
  begun.begin_ns.store(MonotonicNanos(), kRelaxed);
  begun.monitor.store(monitor, std::memory_order_release);
}

int WaitNoted(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Note();
  return g_original.load(kRelaxed)(condition, mutex);
}

// Wraps pthread_cond_wait in the JVM's own library; engines/nativelock wraps that function in all
// other libraries.
class WaitWrappers final : public ImportWrappers {
 public:
  static WaitWrappers& OfProcess() {
    static auto* const wrappers = new WaitWrappers;
    return *wrappers;
  }

  void WatchLibraryOf(const void* address) { library_ = reinterpret_cast<uintptr_t>(address); }

  std::span<const std::string_view> names() const override { return kNames; }
  bool Wants(const ImportSlot& slot) const override {
    return slot.object.begin <= library_ && library_ < slot.object.end;
  }
  // Wraps only one original, because the JVM's library has only one import slot for the name.
  void* For(size_t, void* original) override {
    Wait expected = nullptr;
    const auto wait = reinterpret_cast<Wait>(original);
    const bool is_new = g_original.compare_exchange_strong(expected, wait);
    return is_new || expected == wait ? reinterpret_cast<void*>(&WaitNoted) : nullptr;
  }
  void* OriginalOf(const void* function) const override {
    return function == reinterpret_cast<void*>(&WaitNoted)
               ? reinterpret_cast<void*>(g_original.load(kRelaxed))
               : nullptr;
  }

 private:
  static constexpr std::string_view kNames[] = {"pthread_cond_wait"};
  uintptr_t library_ = 0;
};

constexpr jint kMostFramesSearched = 1024;  // frames of one stack

// If the instruction at `location` can initialize a class, returns its operand, an index into the
// constant pool. Returns 0 for any other instruction.
uint16_t EntryUsedAt(jvmtiEnv* jvmti, jmethodID method, jlocation location) {
  jint size = 0;
  JvmtiPtr<unsigned char> code(jvmti);
  if (location < 0 || jvmti->GetBytecodes(method, &size, code.out()) != JVMTI_ERROR_NONE ||
      location >= size) {
    return 0;
  }
  const instrument::Bytes bytes(code.get(), static_cast<size_t>(size));
  instrument::ByteReader reader(bytes.subspan(static_cast<size_t>(location)));
  switch (reader.U1()) {
    case instrument::kOp_getstatic:
    case instrument::kOp_putstatic:
    case instrument::kOp_invokestatic:
    case instrument::kOp_new:
      return reader.U2();
    default:
      return 0;
  }
}

// Returns the name of the class to which an entry of the constant pool of `user` refers. The entry
// is the class itself, or a field or method of the class. Returns an empty string for any other
// entry.
std::string ClassNameAt(jvmtiEnv* jvmti, jclass user, uint16_t entry) {
  jint count = 0;
  jint size = 0;
  JvmtiPtr<unsigned char> bytes(jvmti);
  if (jvmti->GetConstantPool(user, &count, &size, bytes.out()) != JVMTI_ERROR_NONE) return {};
  instrument::ByteReader reader({bytes.get(), static_cast<size_t>(size)});
  instrument::ConstantPool pool;
  if (!pool.ReadEntries(static_cast<uint16_t>(count), reader)) return {};
  const std::string_view name = pool.ClassName(entry);
  return std::string(name.empty() ? pool.MemberClass(entry) : name);
}

bool HasSignature(jvmtiEnv* jvmti, jclass candidate, const std::string& signature) {
  JvmtiPtr<char> text(jvmti);
  return jvmti->GetClassSignature(candidate, text.out(), nullptr) == JVMTI_ERROR_NONE &&
         signature == text.get();
}

// Returns the class that the class loader of `user` has resolved for the name; nullptr if that
// loader has not resolved the name.
jclass FindFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass user, const std::string& name) {
  const std::string signature = name.starts_with('[') ? name : 'L' + name + ';';
  jobject loader = nullptr;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetClassLoader(user, &loader) != JVMTI_ERROR_NONE ||
      jvmti->GetClassLoaderClasses(loader, &count, classes.out()) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  jclass found = nullptr;
  for (jint i = 0; i < count; ++i) {
    if (found == nullptr && HasSignature(jvmti, classes[i], signature)) {
      found = classes[i];
    } else {
      jni->DeleteLocalRef(classes[i]);
    }
  }
  return found;
}

// Returns the JVMTI class status; 0 if the JVM refuses to answer.
jint StatusOf(jvmtiEnv* jvmti, jclass of) {
  jint status = 0;
  return jvmti->GetClassStatus(of, &status) == JVMTI_ERROR_NONE ? status : 0;
}

}  // namespace

void MonitorWaitTimes::Start(JavaVM* jvm, const HotspotLayout& vm) {
  if (!vm.thread_waiting_monitor.exists()) return;
  Watch* watch = g_watch.load(kRelaxed);
  if (watch == nullptr) {
    watch = new Watch{vm.thread_waiting_monitor, vm.env_offset, {}};
    g_watch.store(watch, std::memory_order_release);
  }
  for (Begun& begun : watch->begun) begun.monitor.store(0, kRelaxed);
  WaitWrappers& wrappers = WaitWrappers::OfProcess();
  wrappers.WatchLibraryOf(reinterpret_cast<const void*>(jvm->functions->DestroyJavaVM));
  hook_ = ImportHook::Install(wrappers);
}

uint64_t MonitorWaitTimes::MonitorOf(const HotspotLayout& vm, const ThreadSlot& thread) {
  return MonitorAt(vm.thread_waiting_monitor, vm.env_offset, thread);
}

std::optional<Nanos> MonitorWaitTimes::Take(const ThreadSlot& thread) {
  Watch* const watch = g_watch.load(std::memory_order_acquire);
  if (watch == nullptr) return std::nullopt;
  Begun& begun = watch->begun[thread.index];
  const std::optional<Nanos> begin_ns = BeginOf(thread, begun.monitor.load(kRelaxed));
  begun.monitor.store(0, kRelaxed);
  return begin_ns;
}

std::optional<Nanos> MonitorWaitTimes::BeginOf(const ThreadSlot& thread, uint64_t monitor) {
  const Watch* const watch = g_watch.load(std::memory_order_acquire);
  if (watch == nullptr || monitor == 0) return std::nullopt;
  const Begun& begun = watch->begun[thread.index];
  if (begun.monitor.load(std::memory_order_acquire) != monitor ||
      begun.serial.load(kRelaxed) != thread.serial.load(kRelaxed)) {
    return std::nullopt;
  }
  return begun.begin_ns.load(kRelaxed);
}

// The JVM initializes a class under the monitor of an int[0] that programs do not see
// (InstanceKlass::init_lock in src/hotspot/share/oops/instanceKlass.cpp, jdk-17+35, jdk-25+36).
// When a thread waits for a notification on that monitor, the JVM sends no event at the start of
// the wait.
bool IsLockOfClass(JNIEnv* jni, jobject object) {
  const jclass ints = jni->FindClass("[I");
  const bool is_array = ints != nullptr && jni->IsInstanceOf(object, ints) != JNI_FALSE;
  if (ints == nullptr) jni->ExceptionClear();
  jni->DeleteLocalRef(ints);
  return is_array && jni->GetArrayLength(static_cast<jarray>(object)) == 0;
}

jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiFrameInfo frame{};
  jint frames = 0;
  if (jvmti->GetStackTrace(thread, 0, 1, &frame, &frames) != JVMTI_ERROR_NONE || frames != 1) {
    return nullptr;
  }
  const uint16_t entry = EntryUsedAt(jvmti, frame.method, frame.location);
  jclass user = nullptr;
  if (entry == 0 || jvmti->GetMethodDeclaringClass(frame.method, &user) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  const std::string name = ClassNameAt(jvmti, user, entry);
  return name.empty() ? nullptr : FindFor(jvmti, jni, user, name);
}

// A thread that is initializing `used` can wait for the initialization of a superclass. So the
// awaited class is the first one, going up from `used`, that is not being initialized any more.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used) {
  constexpr jint kEnded = JVMTI_CLASS_STATUS_INITIALIZED | JVMTI_CLASS_STATUS_ERROR;
  for (jclass at = used; at != nullptr; at = jni->GetSuperclass(at)) {
    if ((StatusOf(jvmti, at) & kEnded) != 0) return at;
  }
  return used;
}

bool ClassInitializers::FindAll(const std::vector<WaitingThread>& waiting) {
  constexpr Nanos kMostLooking = 50'000'000;
  const Nanos deadline_ns = MonotonicNanos() + kMostLooking;
  for (const WaitingThread& each : waiting) {
    if (each.is_class_initialization()) Add(each.thread);
    if (MonotonicNanos() > deadline_ns) return false;
  }
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  if (jvmti_->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return false;
  for (jint i = 0; i < count; ++i) {
    const bool is_known = std::ranges::any_of(waiting, [&](const WaitingThread& each) {
      return each.is_class_initialization() &&
             jni_->IsSameObject(each.thread, threads[i]) != JNI_FALSE;
    });
    if (!is_known) Add(threads[i]);
    if (MonotonicNanos() > deadline_ns) return false;
  }
  return true;
}

// Adds an initializer for each <clinit> on the thread's stack.
void ClassInitializers::Add(jthread thread) {
  std::vector<jvmtiFrameInfo> frames(kMostFramesSearched);
  jint count = 0;
  if (jvmti_->GetStackTrace(thread, 0, kMostFramesSearched, frames.data(), &count) !=
      JVMTI_ERROR_NONE) {
    return;
  }
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> name(jvmti_);
    jclass initialized = nullptr;
    if (jvmti_->GetMethodName(frames[i].method, name.out(), nullptr, nullptr) == JVMTI_ERROR_NONE &&
        strcmp(name.get(), "<clinit>") == 0 &&
        jvmti_->GetMethodDeclaringClass(frames[i].method, &initialized) == JVMTI_ERROR_NONE) {
      all_.push_back({initialized, thread});
    }
  }
}

const ClassInitializers::Initializer* ClassInitializers::AwaitedBy(jthread thread,
                                                                   jclass used) const {
  const Initializer* found = nullptr;
  for (const Initializer& each : all_) {
    if (jni_->IsSameObject(each.thread, thread) != JNI_FALSE) continue;
    if (used != nullptr && jni_->IsSameObject(each.initialized, used) != JNI_FALSE) return &each;
    if (used != nullptr && jni_->IsAssignableFrom(used, each.initialized) == JNI_FALSE) continue;
    if (found != nullptr) return nullptr;  // with several candidates the class stays unknown
    found = &each;
  }
  return found;
}

}  // namespace jprof
