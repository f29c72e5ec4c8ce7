#include "engines/lock/park_wall_time.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/waiting_threads.h"
#include "engines/method/boot_class.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"

namespace jprof {
namespace {

constexpr jint kSleepFlag = 64;  // ParkProbes.SLEEP
constexpr jint kDepth = 8;       // innermost frames in which sun.nio.ch.Poller is looked for

constexpr std::string_view kLockSupportClass = "Ljava/util/concurrent/locks/LockSupport;";
constexpr std::string_view kVirtualThreadClass = "Ljava/lang/VirtualThread;";
constexpr char kSleepMethod[] = "sleepNanos";
struct NamedMethod {
  const char* name;
  const char* descriptor;
};
constexpr NamedMethod kParkMethods[] = {
    {"park", "()V"},       {"park", "(Ljava/lang/Object;)V"},
    {"parkNanos", "(J)V"}, {"parkNanos", "(Ljava/lang/Object;J)V"},
    {"parkUntil", "(J)V"}, {"parkUntil", "(Ljava/lang/Object;J)V"}};

// The ParkWallContext is never freed, because probes can run after the recording. It is stored with
// release before a probe can call OnWaited, and loaded with acquire there.
struct ParkWallContext {
  const ThreadIds* ids;
  WaitSampler sampler;
  std::array<jmethodID, std::size(kParkMethods)> parks;  // in the order of kParkMethods
  std::array<jmethodID, 1> sleeps;                       // VirtualThread.sleepNanos
  std::array<jmethodID, 1> waits;  // Object.wait0; nullptr if this JDK has no such method
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

// The names of the method of a frame; empty if the JVM does not tell them.
struct MethodText {
  std::string class_signature;
  std::string name;
  std::string descriptor;
};

MethodText TextOf(jvmtiEnv* jvmti, JNIEnv* jni, const StackAtJvm& stack, uint32_t index) {
  MethodText text;
  if (index >= stack.frames().size()) return text;
  const jmethodID method = stack.frames()[index].method;
  const LocalFrame frame(jni, 2);
  jclass clazz = nullptr;
  JvmtiPtr<char> signature(jvmti);
  JvmtiPtr<char> name(jvmti);
  JvmtiPtr<char> descriptor(jvmti);
  if (jvmti->GetMethodDeclaringClass(method, &clazz) != JVMTI_ERROR_NONE ||
      jvmti->GetClassSignature(clazz, signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodName(method, name.out(), descriptor.out(), nullptr) != JVMTI_ERROR_NONE) {
    return text;
  }
  return {signature.get(), name.get(), descriptor.get()};
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
  ParkWallContext context{&ids, sampler, {}, {}, {}};
  const jclass support = jni->FindClass("java/util/concurrent/locks/LockSupport");
  const jclass thread = support == nullptr ? nullptr : jni->FindClass("java/lang/VirtualThread");
  if (thread != nullptr) {
    for (size_t i = 0; i < context.parks.size(); ++i) {
      context.parks[i] =
          jni->GetStaticMethodID(support, kParkMethods[i].name, kParkMethods[i].descriptor);
      static_cast<void>(ClearException(jni));
    }
    context.sleeps[0] = jni->GetMethodID(thread, kSleepMethod, "(J)V");
    static_cast<void>(ClearException(jni));
    const jclass object = jni->FindClass("java/lang/Object");
    context.waits[0] = object == nullptr ? nullptr : jni->GetMethodID(object, "wait0", "(J)V");
  }
  static_cast<void>(ClearException(jni));
  if (thread == nullptr) return Error("virtual threads of this JVM are not known");
  g_park_wall.store(new ParkWallContext(context), std::memory_order_release);
  return {};
}

void ParkWallTime::SetTaker(ThreadSlot* taker) { g_wall_taker = taker; }

std::optional<ThreadActivity> ParkWallTime::StartAtWait(StackAtJvm& stack) {
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  if (stack.StartAt(context.parks)) return ThreadActivity::kParked;
  if (stack.StartAt(context.sleeps)) return ThreadActivity::kSleeping;
  if (stack.StartAt(context.waits)) return ThreadActivity::kInObjectWait;
  return std::nullopt;
}

std::optional<ThreadActivity> ParkWallTime::StartAtEarlierWait(JNIEnv* jni, StackAtJvm& stack) {
  if (const auto activity = StartAtWait(stack)) return activity;
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < StackAtJvm::kMostOnTop; ++i) {
    const MethodText method = TextOf(context.sampler.jvmti, jni, stack, i);
    if (method.class_signature == kLockSupportClass) {
      const auto* const found = std::ranges::find_if(kParkMethods, [&](const NamedMethod& each) {
        return method.name == each.name && method.descriptor == each.descriptor;
      });
      if (found == std::end(kParkMethods)) continue;
      stack.StartAtFrame(i, context.parks[static_cast<size_t>(found - std::begin(kParkMethods))]);
      return ThreadActivity::kParked;
    }
    if (method.class_signature == kVirtualThreadClass && method.name == kSleepMethod) {
      stack.StartAtFrame(i, context.sleeps[0]);
      return ThreadActivity::kSleeping;
    }
  }
  return std::nullopt;
}

bool ParkWallTime::IsForSocket(JNIEnv* jni, jthread thread) {
  const ParkWallContext& context = *g_park_wall.load(std::memory_order_acquire);
  return HasFrameOf(context.sampler.jvmti, jni, thread, kDepth, kPollerOfSockets);
}

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
  StackAtJvm stack;
  stack.Fetch(context.sampler.jvmti, thread);
  static_cast<void>(StartAtWait(stack));  // leaves out the frames of our probes
  SampleWaitOf(context.sampler, jni, thread, time, stack, nullptr);
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
  for (StackAtJvm& stack : stacks) static_cast<void>(StartAtWait(stack));
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
