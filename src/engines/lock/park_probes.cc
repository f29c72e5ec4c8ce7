#include "engines/lock/park_probes.h"

#include <atomic>
#include <mutex>

#include "engines/lock/park_wall_time.h"
#include "engines/lock/wait_marks.h"
#include "engines/method/boot_class.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/stack_taker.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

constexpr char kThreadFields[] = "jdk/internal/misc/ThreadFields";
constexpr char kParkTable[] = "jdk/internal/misc/ParkTable";
constexpr char kParkHolders[] = "jdk/internal/misc/ParkHolders";
constexpr char kNatives[] = "java/jprof/ParkNatives";

// The number of groups of places in ParkProbes.java: PLACES / GROUP.
constexpr size_t kGroups = 1024;

// Returns the marks of groups in which parks on locks with an owner have begun. Never freed,
// because a probe can set a mark long after the recording.
WaitMarks& Marks() {
  static WaitMarks& marks = *new WaitMarks(kGroups);
  return marks;
}

// The time of the looker's last tick. Probes read it by its address. relaxed: orders no other data.
std::atomic<Nanos> g_tick_ns{ParkProbes::kNoTicks};

// The destinations of OnHeld and OnStored, which are called on the looker's thread while the looker
// calls FindHeld or FindStored; nullptr on all other threads.
constinit thread_local std::vector<ParkProbes::HeldPark>* t_held = nullptr;
constinit thread_local std::vector<CallTraceId>* t_stored = nullptr;

// Takes the stack of a thread that is about to unpark another one. Runs in a probe on that thread.
jlong JNICALL OnWaking(JNIEnv*, jclass) {
  const ErrnoSaver saver;
  constexpr uint32_t kOwnFrames = 2;  // stackOfWaker and unparked
  ThreadSlots* const slots = GetThreadSlots();
  ThreadSlot* const waker = slots == nullptr ? nullptr : slots->FindForCurrentThread();
  CallTraceId stored = kNoCallTrace;
  if (waker == nullptr) return 0;
  TakeStack(*waker, CallingThread(), kOwnFrames, [&stored](const TakenStack& taken) {
    if (taken.outcome == StackOutcome::kStored) stored = taken.trace;
  });
  return static_cast<jlong>(Value(stored));
}

void JNICALL OnHeld(JNIEnv*, jclass, jint place, jlong start_ns, jlong holder, jlong runner) {
  if (t_held != nullptr) t_held->push_back({static_cast<size_t>(place), start_ns, holder, runner});
}

void JNICALL OnStored(JNIEnv*, jclass, jlong stack) {
  if (t_stored != nullptr) t_stored->push_back(CallTraceId{static_cast<uint64_t>(stack)});
}

}  // namespace

Result<const ParkProbes*> ParkProbes::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static ParkProbes made;  // guarded by mutex until class_ is set, constant afterwards
  const std::lock_guard lock(mutex);
  if (made.class_ != nullptr) return &made;
  const BootMethod methods[] = {{&made.open_, "open", "(JJJJJZZZJ)V"},
                                {&made.open_wall_, "openWall", "(J)V"},
                                {&made.sample_waiting_, "sampleWaiting", "(Z)V"},
                                {&made.close_, "close", "()V"},
                                {&made.is_parked_, "isParked", "(Ljava/lang/Thread;)Z"}};
  const BootMethod of_holders[] = {{&made.look_, "look", "(IJJ)Z"},
                                   {&made.store_, "store", "(IJJJ)Z"},
                                   {&made.keep_, "keep", "()V"}};
  const bool is_jdk8 = jni->GetVersion() < JNI_VERSION_9;
  Result<jclass> found =
      BootClass(jni, kThreadFields, is_jdk8 ? kThreadFieldsOfJdk8Bytes : kThreadFieldsBytes, {});
  if (found) found = BootClass(jni, kNatives, kParkNativesBytes, {});
  if (!found) return found.error();
  made.natives_ = found.value();
  found = BootClass(jni, kParkTable, kParkTableBytes, {});
  if (!found) return found.error();
  found = BootClass(jni, kName, kParkProbesBytes, methods);
  if (!found) return found.error();
  const Result<jclass> holders = BootClass(jni, kParkHolders, kParkHoldersBytes, of_holders);
  if (!holders) return holders.error();
  made.holders_ = holders.value();
  made.class_ = found.value();
  return &made;
}

Status ParkProbes::Bind(JNIEnv* jni, Ended ended, Count count) const {
  const struct {
    const char* name;
    const char* descriptor;
    void* function;
  } natives[] = {
      {"ended", "(Ljava/lang/Thread;Ljava/lang/Object;JJJIJLjava/lang/Thread;JJJJ)V",
       reinterpret_cast<void*>(ended)},
      {"count", "(JJDZ)J", reinterpret_cast<void*>(count)},
      {"stackOfWaker", "()J", reinterpret_cast<void*>(OnWaking)},
      {"held", "(IJJJ)V", reinterpret_cast<void*>(OnHeld)},
      {"stored", "(J)V", reinterpret_cast<void*>(OnStored)},
  };
  for (const auto& native : natives) {
    const Status bound = BindNative(jni, natives_, native.name, native.descriptor, native.function);
    if (!bound) return bound;
  }
  return ParkWallTime::Bind(jni, natives_);
}

Status ParkProbes::Open(JNIEnv* jni, const ParkPermit& permit, WaitPurposes purposes,
                        Nanos interval_ns) const {
  const SampleWindow& window = Sampling().window;
  const jlong windows = window.IsLimited() ? reinterpret_cast<jlong>(window.word_address()) : 0;
  jni->CallStaticVoidMethod(
      class_, open_, jlong{permit.parker}, jlong{permit.counter}, jlong{interval_ns},
      reinterpret_cast<jlong>(Marks().data()), reinterpret_cast<jlong>(&g_tick_ns),
      static_cast<jboolean>(purposes.lock), static_cast<jboolean>(purposes.wall),
      static_cast<jboolean>(purposes.samples_pinned), windows);
  return CheckBootCall(jni, "open");
}

Status ParkProbes::OpenWall(JNIEnv* jni, Nanos interval_ns) const {
  jni->CallStaticVoidMethod(class_, open_wall_, jlong{interval_ns});
  return CheckBootCall(jni, "openWall");
}

void ParkProbes::SampleWaiting(JNIEnv* jni, bool is_stop) const {
  jni->CallStaticVoidMethod(class_, sample_waiting_, static_cast<jboolean>(is_stop));
  static_cast<void>(CheckBootCall(jni, "sampleWaiting"));
}

void ParkProbes::Close(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, close_);
  static_cast<void>(CheckBootCall(jni, "close"));
}

bool ParkProbes::IsParked(JNIEnv* jni, jthread thread) const {
  const jboolean is_parked = jni->CallStaticBooleanMethod(class_, is_parked_, thread);
  return CheckBootCall(jni, "isParked") && is_parked != JNI_FALSE;
}

bool ParkProbes::IsAnyAwaited() { return Marks().IsAnyMarked(); }

void ParkProbes::SetTick(Nanos now_ns) { g_tick_ns.store(now_ns, std::memory_order_relaxed); }

void ParkProbes::FindHeld(JNIEnv* jni, Nanos now_ns, Nanos age_ns,
                          std::vector<HeldPark>& held) const {
  t_held = &held;
  Marks().VisitMarked([&](size_t group) {
    const jboolean is_awaited = jni->CallStaticBooleanMethod(
        holders_, look_, static_cast<jint>(group), jlong{now_ns}, jlong{age_ns});
    return CheckBootCall(jni, "look") && is_awaited != JNI_FALSE;
  });
  t_held = nullptr;
}

bool ParkProbes::StoreHolder(JNIEnv* jni, const HeldPark& park, CallTraceId stack) const {
  const jboolean is_stored = jni->CallStaticBooleanMethod(
      holders_, store_, static_cast<jint>(park.place), jlong{park.start_ns}, jlong{park.holder},
      static_cast<jlong>(Value(stack)));
  return CheckBootCall(jni, "store") && is_stored != JNI_FALSE;
}

void ParkProbes::FindStored(JNIEnv* jni, std::vector<CallTraceId>& stacks) const {
  t_stored = &stacks;
  jni->CallStaticVoidMethod(holders_, keep_);
  t_stored = nullptr;
  static_cast<void>(CheckBootCall(jni, "keep"));
}

}  // namespace jprof
