#include "engines/lock/park_wall_time.h"

#include <array>
#include <atomic>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/waiting_threads.h"
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

// The stack that OnStackOf has fetched for the next call of OnWaited. Used by one thread at a time.
StackAtJvm& FetchedStack() {
  static StackAtJvm& stack = *new StackAtJvm;
  return stack;
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

void ParkWallTime::OnStackOf(JNIEnv*, jclass, jthread thread, jint flags) {
  const ErrnoSaver saver;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  StackAtJvm& stack = FetchedStack();
  stack.Fetch(context.sampler.jvmti, thread);
  if (flags == kSleepFlag) {
    stack.StartAt(context.sleeps);
  } else {
    stack.StartAt(context.parks);
  }
}

void ParkWallTime::OnWaited(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong from_ns,
                            jlong to_ns, jlong counted, jint flags) {
  const ErrnoSaver saver;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  const bool goes_on = (flags & LockPayload::kUnfinished) != 0;
  const bool is_sleep = (flags & kSleepFlag) != 0;
  WaitedTime time{.thread = context.ids->Of(jni, thread),
                  .activity = is_sleep ? ThreadActivity::kSleeping : ThreadActivity::kParked,
                  .from_ns = from_ns,
                  .to_ns = to_ns,
                  .windows_ns = counted};
  if (!is_sleep && blocker == nullptr &&
      HasFrameOf(context.sampler.jvmti, jni, goes_on ? thread : nullptr, kDepth,
                 kPollerOfSockets)) {
    time.activity = ThreadActivity::kInIo;
  }
  if (!goes_on) {
    SampleOwnWait(context.sampler, jni, thread, time, is_sleep ? kSleepFrames : kParkFrames);
  } else if (g_wall_taker != nullptr) {
    SampleWaitOf(context.sampler, jni, thread, time, FetchedStack(), g_wall_taker);
  }
}

}  // namespace jprof
