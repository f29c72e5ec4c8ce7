#include "engines/lock/virtual_lives.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "engines/lock/thread_waits.h"
#include "engines/method/boot_class.h"
#include "engines/method/class_versions.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr char kProbes[] = "jdk/internal/misc/VirtualProbes";
constexpr char kVirtualNatives[] = "java/jprof/VirtualNatives";
constexpr char kVirtualThread[] = "java/lang/VirtualThread";

// The number that a probe passes: the index of its method in kMethods.
enum ProbedMethod : jint { kStart, kRun, kSleep, kPinned };
constexpr const char* kMethods[] = {"start", "run", "sleepNanos", "parkOnCarrierThread"};

// The state of the process. Never freed, because probes can run after the recording has ended.
struct Shared {
  // Publishes `ids`, `first_id` and `opened_ns` to probes: Open stores true with release, probes
  // load with acquire.
  std::atomic<bool> is_open{false};
  std::atomic<const ThreadIds*> ids{nullptr};  // relaxed: is_open orders it
  std::atomic<int64_t> first_id{0};            // relaxed: is_open orders it
  std::atomic<Nanos> opened_ns{0};             // relaxed: is_open orders it
  OpenIntervals lives;
  OpenIntervals first_waits;
  OpenIntervals sleeps;
  // The number of changes of java.lang.VirtualThread at the time when the last recording left its
  // probes in the class; nullopt if that recording left none. If the number of changes is still the
  // same, the probes are still there. Only Start and Stop use this member, one call at a time.
  std::optional<jint> changes_with_probes;
};

Shared& State() {
  static Shared& state = *new Shared;
  return state;
}

// The Java class VirtualProbes.
struct ProbeClass {
  std::mutex mutex;          // guards the other members until they are set
  jclass natives = nullptr;  // VirtualNatives, a global reference
  jclass defined = nullptr;  // a global reference
  jmethodID open = nullptr;

  static ProbeClass& OfProcess() {
    static ProbeClass& probes = *new ProbeClass;
    return probes;
  }
};

MethodPattern PatternOf(const char* method, const char* descriptor) {
  return {.text = std::string("java.lang.VirtualThread.") + method,
          .class_name = kVirtualThread,
          .method = method,
          .descriptor = descriptor};
}

// Returns how often java.lang.VirtualThread has been changed; nullopt if this JVM has no such class
// or does not count changes.
std::optional<jint> ChangesOfVirtualThread(JNIEnv* jni) {
  const LocalFrame frame(jni, 4);
  const jclass clazz = jni->FindClass(kVirtualThread);
  ClearException(jni);
  if (clazz == nullptr) return std::nullopt;
  return ClassVersions::ChangesOf(jni, clazz);
}

VirtualSums SumsAt(Nanos now_ns) {
  Shared& state = State();
  return {state.first_id.load(std::memory_order_relaxed), state.lives.Read(now_ns),
          state.first_waits.Read(now_ns), state.sleeps.Read(now_ns)};
}

}  // namespace

VirtualLives::VirtualLives(JvmEvents& events, ProbeRound& round)
    : events_(events),
      round_(round),
      installer_(events, round, *this,
                 {PatternOf("start", "(Ljdk/internal/vm/ThreadContainer;)V"),
                  PatternOf("run", "(Ljava/lang/Runnable;)V"), PatternOf("sleepNanos", "(J)V"),
                  PatternOf("parkOnCarrierThread", "(ZJ)V")},
                 ProbeInstaller::Unmatched::kExpected) {}

Status VirtualLives::Define(JNIEnv* jni) {
  ProbeClass& probes = ProbeClass::OfProcess();
  const std::lock_guard lock(probes.mutex);
  if (probes.defined == nullptr) {
    const Result<jclass> natives = BootClass(jni, kVirtualNatives, kVirtualNativesBytes, {});
    if (!natives) return natives.error();
    const BootMethod methods[] = {{&probes.open, "open", "(Z)V"}};
    const Result<jclass> found = BootClass(jni, kProbes, kVirtualProbesBytes, methods);
    if (!found) return found.error();
    probes.natives = natives.value();
    probes.defined = found.value();
  }
  const auto bind = [&](const char* name, const char* descriptor, auto* function) {
    return BindNative(jni, probes.natives, name, descriptor, reinterpret_cast<void*>(function));
  };
  Status bound = bind("entry", "(Ljava/lang/Object;I)J", OnEntry);
  if (bound) bound = bind("exit", "(IJ)V", OnExit);
  return bound ? bind("exception", "(Ljava/lang/Throwable;IJ)V", OnException) : bound;
}

Status VirtualLives::SetOpen(JNIEnv* jni, bool is_open) {
  const ProbeClass& probes = ProbeClass::OfProcess();
  jni->CallStaticVoidMethod(probes.defined, probes.open, static_cast<jboolean>(is_open));
  return CheckBootCall(jni, "open");
}

Status VirtualLives::Start(JNIEnv* jni, const ThreadIds& ids) {
  Shared& state = State();
  state.first_id.store(0, std::memory_order_relaxed);
  for (OpenIntervals* each : {&state.lives, &state.first_waits, &state.sleeps}) each->Clear();
  if (!ids.has_virtual()) return {};
  const Status defined = Define(jni);
  if (!defined) return defined;
  const Status installed = installer_.Install();
  if (!installed) return installed;
  // From now on, the installer notices every change of the class. For the time between the
  // recordings, the number of changes shows whether the class was changed.
  const std::optional<jint> left = std::exchange(state.changes_with_probes, std::nullopt);
  are_left_ = left && left == ChangesOfVirtualThread(jni);
  if (are_left_) round_.Forget(installer_);
  return {};
}

Status VirtualLives::Open(JNIEnv* jni, const ThreadIds& ids, bool counts) {
  if (!ids.has_virtual()) return {};
  is_open_ = true;
  if (!counts) return {};
  Shared& state = State();
  const int64_t first_id = ids.Next(jni);
  if (first_id == 0) return NoMemoryInJvm("for a thread");
  state.ids.store(&ids, std::memory_order_relaxed);
  state.first_id.store(first_id, std::memory_order_relaxed);
  state.opened_ns.store(MonotonicNanos(), std::memory_order_relaxed);
  state.is_open.store(true, std::memory_order_release);
  ThreadWaits::OfProcess().CountVirtualFrom(first_id);
  return SetOpen(jni, true);
}

bool VirtualLives::Stop() {
  if (!at_stop_) at_stop_ = SumsAt(MonotonicNanos());
  Shared& state = State();
  state.is_open.store(false, std::memory_order_relaxed);
  JNIEnv* const jni = events_.CurrentJni();
  if (is_open_ && jni != nullptr) static_cast<void>(SetOpen(jni, false));
  if (!std::exchange(is_open_, false) || jni == nullptr) return installer_.Remove();
  // Reads the number of changes while the installer still observes the class. If a later change
  // removes the probes, the next Start finds another number.
  if (are_left_ || installer_.HasProbes()) state.changes_with_probes = ChangesOfVirtualThread(jni);
  return state.changes_with_probes ? installer_.LeaveProbes() : installer_.Remove();
}

std::vector<std::string> VirtualLives::TakeNotes() { return installer_.TakeNotes(); }

VirtualSums VirtualLives::Read() const { return at_stop_ ? *at_stop_ : SumsAt(MonotonicNanos()); }

instrument::ProbeTarget VirtualLives::ProbedBy(bool) const {
  instrument::ProbeTarget target{.class_name = kProbes};
  target.entry.descriptor = "(Ljava/lang/Object;I)J";
  target.passes_this = true;
  return target;
}

std::optional<uint32_t> VirtualLives::NumberFor(JNIEnv*, TracedMethod method) {
  for (uint32_t i = 0; i < std::size(kMethods); ++i) {
    if (method.name == kMethods[i]) return i;
  }
  return std::nullopt;
}

// Returns the time of the call; 0 if the virtual thread `thread` is not counted. The calling thread
// is not always `thread`: `start` runs on the thread that starts `thread`, and `run` begins on the
// carrier of `thread`.
jlong VirtualLives::OnEntry(JNIEnv* jni, jclass, jobject thread, jint method) {
  Shared& state = State();
  if (!state.is_open.load(std::memory_order_acquire)) return 0;
  const int64_t id = state.ids.load(std::memory_order_relaxed)->Of(jni, thread);
  if (id < state.first_id.load(std::memory_order_relaxed)) return 0;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const auto spread = static_cast<uint64_t>(id);
  if (method == kStart) {
    state.lives.Begin(now_ns, spread);
    state.first_waits.Begin(now_ns, spread);
  } else if (method == kRun) {
    state.first_waits.End(now_ns, spread);
  } else {
    state.sleeps.Begin(now_ns, spread);
  }
  return now_ns;
}

void VirtualLives::OnExit(JNIEnv*, jclass, jint method, jlong since) {
  Shared& state = State();
  if (since == 0 || method == kStart || !state.is_open.load(std::memory_order_acquire) ||
      since < state.opened_ns.load(std::memory_order_relaxed)) {
    return;
  }
  const ErrnoSaver saver;
  OpenIntervals& intervals = method == kRun ? state.lives : state.sleeps;
  intervals.End(MonotonicNanos(), static_cast<uint64_t>(since) >> 8);
}

// If `start` has failed, takes back the intervals that its OnEntry has begun: they end at the time
// at which they began.
void VirtualLives::OnException(JNIEnv* jni, jclass probes, jthrowable, jint method, jlong since) {
  if (method != kStart) return OnExit(jni, probes, method, since);
  Shared& state = State();
  if (since == 0 || !state.is_open.load(std::memory_order_acquire) ||
      since < state.opened_ns.load(std::memory_order_relaxed)) {
    return;
  }
  for (OpenIntervals* each : {&state.lives, &state.first_waits}) {
    each->End(since, static_cast<uint64_t>(since));
  }
}

}  // namespace jprof
