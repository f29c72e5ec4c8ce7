#include "engines/lock/waited_wall_time.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/split_mix.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// The interval of `wall`, and the times from which on and up to which waits count. relaxed: a value
// of another moment only moves the start or the end of the recording.
std::atomic<Nanos> g_interval_ns{0};
std::atomic<Nanos> g_begin_ns{0};
std::atomic<Nanos> g_end_ns{0};

// For each hash of a method id, the id that was asked for last, and in its lowest bit whether the
// method is a class initializer. relaxed: an entry publishes no other value.
std::atomic<uintptr_t> g_initializers[1024];

bool IsClassInitializer(jvmtiEnv* jvmti, jmethodID method) {
  constexpr uintptr_t kIs = 1;
  const auto id = reinterpret_cast<uintptr_t>(method);
  std::atomic<uintptr_t>& known = g_initializers[SplitMix(id) % std::size(g_initializers)];
  const uintptr_t last = known.load(std::memory_order_relaxed);
  if ((last & ~kIs) == id) return (last & kIs) != 0;
  JvmtiPtr<char> name(jvmti);
  const bool is_initializer =
      jvmti->GetMethodName(method, name.out(), nullptr, nullptr) == JVMTI_ERROR_NONE &&
      std::string_view(name.get()) == "<clinit>";
  known.store(id | (is_initializer ? kIs : 0), std::memory_order_relaxed);
  return is_initializer;
}

// Returns the weight of the part of the time that counts; 0 if no sample is to be taken.
uint64_t WeightOf(const WaitedTime& time) {
  const Nanos interval_ns = g_interval_ns.load(std::memory_order_relaxed);
  const Nanos from_ns = std::max(time.from_ns, g_begin_ns.load(std::memory_order_relaxed));
  const Nanos to_ns = std::min(time.to_ns, g_end_ns.load(std::memory_order_relaxed));
  if (interval_ns == 0 || to_ns <= from_ns) return 0;
  return static_cast<uint64_t>(WallCutBefore(to_ns, interval_ns) -
                               WallCutBefore(from_ns, interval_ns));
}

// Returns the part of the weight that is in windows, and counts the rest (AddOutsideWindows). Where
// in the wait its windows are is not known. So if a part of the wait is in windows, this share of
// the weight is, and a fraction of an interval becomes a whole one at random.
uint64_t InWindows(const WaitedTime& time, uint64_t weight) {
  if (weight == 0 || !Sampling().window.IsLimited()) return weight;
  const Nanos length_ns = time.to_ns - time.from_ns;
  const Nanos open_ns = Sampling().window.CountsNow([&time] { return time.to_ns; }).open_ns;
  const Nanos inside_ns = time.windows_ns == WaitedTime::kOutside
                              ? 0
                              : std::clamp<Nanos>(open_ns - time.windows_ns, 0, length_ns);
  uint64_t inside = inside_ns == 0 ? 0 : weight;
  if (inside_ns != 0 && inside_ns != length_ns) {
    const auto interval = static_cast<double>(g_interval_ns.load(std::memory_order_relaxed));
    const double intervals = static_cast<double>(weight) / interval *
                             (static_cast<double>(inside_ns) / static_cast<double>(length_ns));
    const auto seed = static_cast<uint64_t>(time.to_ns) ^ static_cast<uint64_t>(time.thread) << 32;
    const double whole = std::floor(intervals + UniformOf(SplitMix(seed + kSplitMixStep)));
    inside = std::min(weight, static_cast<uint64_t>(whole * interval));
  }
  AddOutsideWindows(SampleKind::kWall, weight - inside);
  return inside;
}

// Reads the name of a virtual thread, which is mostly empty. Leaves `name` empty if the name is not
// ASCII: only ASCII has the same bytes here and in the heap, from which samples of other kinds read
// names. JVMTI is not asked, because its answer makes other virtual threads wait.
void ReadName(const WaitSampler& sampler, JNIEnv* jni, jthread thread, ThreadNameBytes* name) {
  const auto text = static_cast<jstring>(jni->GetObjectField(thread, sampler.name));
  if (text == nullptr) return;
  const auto kMost = static_cast<jsize>(ThreadNameBytes::kCapacity);
  std::array<jchar, ThreadNameBytes::kCapacity> chars;
  const jsize length = std::min(jni->GetStringLength(text), kMost);
  jni->GetStringRegion(text, 0, length, chars.data());
  jni->DeleteLocalRef(text);
  const bool is_ascii =
      std::all_of(chars.data(), chars.data() + length, [](jchar c) { return 0 < c && c < 128; });
  if (!is_ascii) return;
  name->size = static_cast<uint8_t>(length);
  std::transform(chars.data(), chars.data() + length, name->bytes,
                 [](jchar c) { return static_cast<char>(c); });
}

}  // namespace

void BeginWaitedTime(Nanos interval_ns) {
  g_begin_ns.store(MonotonicNanos(), std::memory_order_relaxed);
  g_end_ns.store(INT64_MAX, std::memory_order_relaxed);
  g_interval_ns.store(interval_ns, std::memory_order_relaxed);
}

Nanos WaitedTimeBegin() { return g_begin_ns.load(std::memory_order_relaxed); }

void EndWaitedTime() {
  Nanos never = INT64_MAX;
  g_end_ns.compare_exchange_strong(never, MonotonicNanos(), std::memory_order_relaxed);
}

Result<WaitSampler> WaitSampler::For(JNIEnv* jni, jvmtiEnv* jvmti, SampledClasses& classes,
                                     bool is_jdk24) {
  const LocalFrame frame(jni, 2);
  const jclass thread = jni->FindClass("java/lang/Thread");
  const jfieldID name =
      thread == nullptr ? nullptr : jni->GetFieldID(thread, "name", "Ljava/lang/String;");
  if (name == nullptr) {
    jni->ExceptionClear();
    return Error("threads of this JVM have no field `name`, or it is out of memory");
  }
  return WaitSampler{jvmti, &classes, name, is_jdk24, !is_jdk24};
}

bool WaitedTime::HasTick() const { return WeightOf(*this) != 0; }

void StackAtJvm::Fetch(jvmtiEnv* jvmti, jthread thread) {
  jint count = 0;
  const jvmtiError error =
      jvmti->GetStackTrace(thread, 0, static_cast<jint>(kMostFrames), frames_.data(), &count);
  first_ = 0;
  end_ = error == JVMTI_ERROR_NONE ? static_cast<uint32_t>(std::max<jint>(count, 0)) : 0;
}

void StackAtJvm::Fetch(const WaitSampler& sampler, std::span<const jthread> threads,
                       std::span<StackAtJvm> stacks) {
  JPROF_CHECK(threads.size() == stacks.size());
  const auto count = static_cast<jint>(threads.size());
  JvmtiPtr<jvmtiStackInfo> infos(sampler.jvmti);
  if (!sampler.stops_for_stacks || count < 2 ||
      sampler.jvmti->GetThreadListStackTraces(count, threads.data(), static_cast<jint>(kMostFrames),
                                              infos.out()) != JVMTI_ERROR_NONE) {
    for (size_t i = 0; i < threads.size(); ++i) stacks[i].Fetch(sampler.jvmti, threads[i]);
    return;
  }
  for (jint i = 0; i < count; ++i) {
    StackAtJvm& stack = stacks[static_cast<size_t>(i)];
    stack.first_ = 0;
    stack.end_ = static_cast<uint32_t>(std::clamp<jint>(infos[i].frame_count, 0, kMostFrames));
    std::copy_n(infos[i].frame_buffer, stack.end_, stack.frames_.begin());
  }
}

bool StackAtJvm::IsPinned(jvmtiEnv* jvmti) const {
  if (end_ == first_) return false;
  const std::span<const jvmtiFrameInfo> callers = frames().subspan(1);
  return std::ranges::any_of(callers, [jvmti](const jvmtiFrameInfo& frame) {
    return frame.location < 0 || IsClassInitializer(jvmti, frame.method);
  });
}

void StackAtJvm::Set(std::span<const jvmtiFrameInfo> frames) {
  JPROF_CHECK(frames.size() <= kMostFrames);
  first_ = 0;
  end_ = static_cast<uint32_t>(frames.size());
  std::ranges::copy(frames, frames_.begin());
}

bool StackAtJvm::StartAt(std::span<const jmethodID> methods) {
  const uint32_t end = std::min(end_, first_ + kMostOnTop);
  for (uint32_t i = first_; i < end; ++i) {
    if (std::ranges::find(methods, frames_[i].method) == methods.end()) continue;
    first_ = i;
    return true;
  }
  return false;
}

SampledWalk StackAtJvm::Walk(const WalkEnvironment&, ThreadSlot&, const Subject& subject,
                             const WalkBuffer& buffer) const {
  SampledWalk walk{.may_read = true, .mounted = subject.is_reported() ? subject.reported_id() : 0};
  const uint32_t count = std::min(end_ - first_, buffer.depth);
  if (count == 0) {
    buffer.frames[0] = OutcomeFrame(WalkOutcome::kStillWaiting);
    walk.stack = {buffer.frames, 1, false};
    return walk;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const jvmtiFrameInfo& frame = frames_[first_ + i];
    buffer.frames[i] = {reinterpret_cast<uintptr_t>(frame.method),
                        static_cast<int32_t>(frame.location),
                        frame.location < 0 ? FrameKind::kJavaNative : FrameKind::kJava};
  }
  walk.stack = {buffer.frames, count, first_ + count < end_ || end_ == kMostFrames};
  return walk;
}

void SampleWaitOf(const WaitSampler& sampler, JNIEnv* jni, jthread thread, const WaitedTime& time,
                  const StackAtJvm& stack, ThreadSlot* taker) {
  if (sampler.carriers_name_pinned && stack.IsPinned(sampler.jvmti)) return;
  const uint64_t weight = InWindows(time, WeightOf(time));
  if (weight == 0) return;
  stack.NoteMethods(sampler.jvmti, jni, *sampler.classes);
  ThreadNameBytes name{};
  ReadName(sampler, jni, thread, &name);
  const WeighedSampling<WallPayload> policy(weight,
                                            WallPayload{time.to_ns - time.from_ns, time.activity});
  if (taker != nullptr) {
    TakeSample(taker, Subject::Other(SampledThread::Virtual(time.thread), &name), stack, policy);
  } else {
    TakeSample(Subject::Reported(time.thread, &name), stack, policy);
  }
}

}  // namespace jprof
