#include "engines/lock/park_wall_time.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/waiting_threads.h"
#include "engines/method/boot_class.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"

namespace jprof {
namespace {

constexpr jint kSleepFlag = 64;  // ParkProbes.SLEEP
// The numbers of frames on the stack that are ours when a probe calls `waited`: waited, endWall,
// end, and exit or exception; for a sleep also VirtualProbes.exit.
constexpr uint32_t kParkFrames = 4;
constexpr uint32_t kSleepFrames = 5;
constexpr jint kDepth = 8;  // innermost frames in which sun.nio.ch.Poller is looked for

// The ParkWallContext is never freed, because probes can run after the recording. It is stored with release
// before a probe can call OnWaited, and loaded with acquire there.
struct ParkWallContext {
  const ThreadIds* ids;
  WaitSampler sampler;
  std::array<jmethodID, 6> parks;   // the methods of LockSupport that park
  std::array<jmethodID, 1> sleeps;  // VirtualThread.sleepNanos
};
std::atomic<const ParkWallContext*> g_park_wall{nullptr};

constinit ThreadSlot* g_wall_taker = nullptr;

// The stacks that OnStacksOf has fetched. Used by one thread at a time.
constexpr jint kMostStacks = 64;  // ParkProbes.BATCH
std::array<StackAtJvm, kMostStacks>& FetchedStacks() {
  static auto& stacks = *new std::array<StackAtJvm, kMostStacks>;
  return stacks;
}

WaitedTime TimeOf(const ParkWallContext& context, JNIEnv* jni, jthread thread, jlong from_ns,
                  jlong to_ns, jlong counted, jint flags) {
  return {.thread = context.ids->Of(jni, thread),
          .activity = flags == kSleepFlag ? ThreadActivity::kSleeping : ThreadActivity::kParked,
          .from_ns = from_ns,
          .to_ns = to_ns,
          .windows_ns = counted};
}

// True if the park is a wait for a socket. `thread` is nullptr for the calling thread.
bool IsIo(const ParkWallContext& context, JNIEnv* jni, jthread thread, jobject blocker,
          const WaitedTime& time) {
  return time.activity == ThreadActivity::kParked && blocker == nullptr &&
         HasFrameOf(context.sampler.jvmti, jni, thread, kDepth, kPollerOfSockets);
}

}  // namespace

Status ParkWallTime::Begin(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler) {
  if (g_park_wall.load(std::memory_order_relaxed) != nullptr) return {};
  const LocalFrame frame(jni, 4);
  ParkWallContext context{&ids, sampler, {}, {}};
  const jclass support = jni->FindClass("java/util/concurrent/locks/LockSupport");
  const jclass thread = support == nullptr ? nullptr : jni->FindClass("java/lang/VirtualThread");
  const struct {
    const char* name;
    const char* descriptor;
  } parks[] = {{"park", "()V"},       {"park", "(Ljava/lang/Object;)V"},
               {"parkNanos", "(J)V"}, {"parkNanos", "(Ljava/lang/Object;J)V"},
               {"parkUntil", "(J)V"}, {"parkUntil", "(Ljava/lang/Object;J)V"}};
  if (thread != nullptr) {
    for (size_t i = 0; i < context.parks.size(); ++i) {
      context.parks[i] = jni->GetStaticMethodID(support, parks[i].name, parks[i].descriptor);
      static_cast<void>(ClearException(jni));
    }
    context.sleeps[0] = jni->GetMethodID(thread, "sleepNanos", "(J)V");
  }
  static_cast<void>(ClearException(jni));
  if (thread == nullptr) return Error("virtual threads of this JVM are not known");
  g_park_wall.store(new ParkWallContext(context), std::memory_order_release);
  return {};
}

void ParkWallTime::SetTaker(ThreadSlot* taker) { g_wall_taker = taker; }

Status ParkWallTime::Bind(JNIEnv* jni, jclass natives) {
  Status done = BindNative(jni, natives, "waited", "(Ljava/lang/Thread;Ljava/lang/Object;JJJI)V",
                           reinterpret_cast<void*>(OnWaited));
  if (done) {
    done = BindNative(jni, natives, "stacksOf", "([Ljava/lang/Thread;I)V",
                      reinterpret_cast<void*>(OnStacksOf));
  }
  return done ? BindNative(jni, natives, "waitsOn", "(ILjava/lang/Thread;Ljava/lang/Object;JJJI)V",
                           reinterpret_cast<void*>(OnWaitsOn))
              : done;
}

void ParkWallTime::OnWaited(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong from_ns,
                            jlong to_ns, jlong counted, jint flags) {
  const ErrnoSaver saver;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  WaitedTime time = TimeOf(context, jni, thread, from_ns, to_ns, counted, flags);
  if (IsIo(context, jni, nullptr, blocker, time)) time.activity = ThreadActivity::kInIo;
  SampleOwnWait(context.sampler, jni, thread, time,
                flags == kSleepFlag ? kSleepFrames : kParkFrames);
}

void ParkWallTime::OnStacksOf(JNIEnv* jni, jclass, jobjectArray threads, jint count) {
  const ErrnoSaver saver;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  const LocalFrame frame(jni, kMostStacks + 8);
  std::array<jthread, kMostStacks> list;
  const jint size = std::min(count, kMostStacks);
  for (jint i = 0; i < size; ++i) list[i] = jni->GetObjectArrayElement(threads, i);
  std::span<StackAtJvm> stacks(FetchedStacks().data(), static_cast<size_t>(size));
  StackAtJvm::Fetch(context.sampler, {list.data(), stacks.size()}, stacks);
  for (StackAtJvm& stack : stacks) {
    if (!stack.StartAt(context.parks)) stack.StartAt(context.sleeps);
  }
}

void ParkWallTime::OnWaitsOn(JNIEnv* jni, jclass, jint number, jthread thread, jobject blocker,
                             jlong from_ns, jlong to_ns, jlong counted, jint flags) {
  const ErrnoSaver saver;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  if (g_wall_taker == nullptr) return;
  WaitedTime time = TimeOf(context, jni, thread, from_ns, to_ns, counted, flags);
  if (IsIo(context, jni, thread, blocker, time)) time.activity = ThreadActivity::kInIo;
  SampleWaitOf(context.sampler, jni, thread, time, FetchedStacks()[static_cast<size_t>(number)],
               g_wall_taker);
}

}  // namespace jprof
