#include "engines/lock/earlier_waits.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/log.h"
#include "engines/lock/park_wall_time.h"
#include "engines/method/boot_class.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr char kEarlierWaits[] = "jdk/internal/misc/EarlierWaits";

// The time between two looks is an eighth of the time since Start, within these bounds, but at
// least kLookShare times what the last look took.
constexpr Nanos kShortestGap = 100'000'000;
constexpr Nanos kLongestGap = 1'000'000'000;
constexpr Nanos kLookShare = 10;

}  // namespace

void EarlierWaits::Start(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler,
                         const IsKnown& is_known) {
  const LocalFrame frame(jni, 8);
  jmethodID list = nullptr;
  const BootMethod methods[] = {{&list, "list", "(I)[Ljava/lang/Thread;"},
                                {&check_, "check", "([Ljava/lang/Thread;[I)I"}};
  const Result<jclass> found = BootClass(jni, kEarlierWaits, kEarlierWaitsBytes, methods);
  jobjectArray threads = nullptr;
  if (found) {
    threads = static_cast<jobjectArray>(jni->CallStaticObjectMethod(found.value(), list, kMost));
  }
  const Status called = found ? CheckBootCall(jni, "list") : Status(found.error());
  if (!called || threads == nullptr) {
    Log::Warn("virtual threads that wait already are not in wall: %s",
              called ? "the JVM has no list of them" : called.error().message().c_str());
    return;
  }
  const jint count = jni->GetArrayLength(threads);
  const jintArray ended = jni->NewIntArray(count);
  threads_ = static_cast<jobjectArray>(jni->NewGlobalRef(threads));
  ended_ = ended == nullptr ? nullptr : static_cast<jintArray>(jni->NewGlobalRef(ended));
  if (threads_ == nullptr || ended_ == nullptr) {
    jni->ExceptionClear();
    return Clear(jni);
  }
  class_ = found.value();
  sampler_ = sampler;
  start_ns_ = MonotonicNanos();
  looked_ns_ = start_ns_;
  waits_.resize(static_cast<size_t>(count));
  for (jint first = 0; first < count;) first += Follow(jni, ids, is_known, first, count);
  numbers_.clear();
  CheckNow(jni, nullptr);
  follows_.store(!places_.empty(), std::memory_order_relaxed);
}

// A stack is that of a wait if the thread waits before the JVM has returned the stack, and also
// afterwards: a thread that has ended a wait begins the next one in a probe or an event. Start
// looks once more for that.
jint EarlierWaits::Follow(JNIEnv* jni, const ThreadIds& ids, const IsKnown& is_known, jint first,
                          jint count) {
  constexpr size_t kBatch = 64;
  const LocalFrame frame(jni, kBatch + 8);
  static auto& stacks = *new std::array<StackAtJvm, kBatch>;
  std::array<jthread, kBatch> threads{};
  const jint fetched = std::min<jint>(count - first, kBatch);
  for (jint i = 0; i < fetched; ++i) {
    threads[static_cast<size_t>(i)] = jni->GetObjectArrayElement(threads_, first + i);
  }
  const auto size = static_cast<size_t>(fetched);
  StackAtJvm::Fetch(sampler_, std::span(threads).first(size), std::span(stacks).first(size));
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < size; ++i) {
    const std::optional<uint32_t> stack = Keep(jni, threads[i], stacks[i]);
    const jint place = first + static_cast<jint>(i);
    const int64_t id = ids.Of(jni, threads[i]);
    if (!stack || is_known(id)) {
      jni->SetObjectArrayElement(threads_, place, nullptr);
      continue;
    }
    waits_[static_cast<size_t>(place)] = {id, *stack, stacks_[*stack].activity, WaitedTimeBegin(),
                                          false};
    places_[id] = static_cast<uint32_t>(place);
  }
  return fetched;
}

std::optional<uint32_t> EarlierWaits::Keep(JNIEnv* jni, jthread thread, StackAtJvm& stack) {
  std::vector<std::pair<jmethodID, jlocation>> key;
  for (const jvmtiFrameInfo& frame : stack.frames()) key.emplace_back(frame.method, frame.location);
  const auto [found, is_new] = numbers_.try_emplace(std::move(key));
  if (!is_new) return found->second;
  std::optional<ThreadActivity> activity = ParkWallTime::StartAtEarlierWait(jni, stack);
  if (!activity) return std::nullopt;
  if (activity == ThreadActivity::kParked && ParkWallTime::IsForSocket(jni, thread)) {
    activity = ThreadActivity::kInIo;
  }
  found->second = static_cast<uint32_t>(stacks_.size());
  stacks_.push_back({{stack.frames().begin(), stack.frames().end()}, *activity});
  return found->second;
}

void EarlierWaits::Check(JNIEnv* jni, ThreadSlot* taker) {
  if (!follows_.load(std::memory_order_relaxed) || MonotonicNanos() < next_look_ns_) return;
  CheckNow(jni, taker);
}

void EarlierWaits::CheckNow(JNIEnv* jni, ThreadSlot* taker) {
  const LocalFrame frame(jni, 8);
  const Nanos now_ns = MonotonicNanos();
  const jint count = jni->CallStaticIntMethod(class_, check_, threads_, ended_);
  if (!CheckBootCall(jni, "check")) return;
  std::vector<jint> ended(static_cast<size_t>(std::max<jint>(count, 0)));
  jni->GetIntArrayRegion(ended_, 0, static_cast<jint>(ended.size()), ended.data());
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < waits_.size(); ++i) {
      if (waits_[i].has_ended) ended.push_back(static_cast<jint>(i));
    }
  }
  // A wait that has ended before the first look counts up to the time of the list. Most of these
  // waits are short.
  const bool is_first = looked_ns_ == start_ns_;
  const Nanos end_ns = is_first ? start_ns_ : looked_ns_ + (now_ns - looked_ns_) / 2;
  for (const jint place : ended) {
    SampleUntil(jni, static_cast<size_t>(place), end_ns, taker);
    const std::lock_guard lock(mutex_);
    Wait& wait = waits_[static_cast<size_t>(place)];
    places_.erase(wait.thread);
    wait = {};
    jni->SetObjectArrayElement(threads_, place, nullptr);
  }
  const Nanos done_ns = MonotonicNanos();
  looked_ns_ = now_ns;
  const Nanos gap_ns = std::clamp((now_ns - start_ns_) / 8, kShortestGap, kLongestGap);
  next_look_ns_ = done_ns + std::max(gap_ns, kLookShare * (done_ns - now_ns));
}

void EarlierWaits::SampleWaiting(JNIEnv* jni, ThreadSlot* taker) {
  if (!follows_.load(std::memory_order_relaxed)) return;
  CheckNow(jni, taker);
  for (size_t i = 0; i < waits_.size(); ++i) SampleUntil(jni, i, looked_ns_, taker);
}

void EarlierWaits::SampleUntil(JNIEnv* jni, size_t index, Nanos until_ns, ThreadSlot* taker) {
  WaitedTime time;
  uint32_t stack = 0;
  {
    const std::lock_guard lock(mutex_);
    Wait& wait = waits_[index];
    time = {wait.thread, wait.activity, wait.from_ns, until_ns, WaitedTime::kOutside};
    if (wait.thread == 0 || !time.HasTick()) return;
    stack = wait.stack;
    wait.from_ns = until_ns;
  }
  const LocalFrame frame(jni, 4);
  const jthread thread = jni->GetObjectArrayElement(threads_, static_cast<jint>(index));
  if (thread == nullptr) return;
  static StackAtJvm& source = *new StackAtJvm;
  source.Set(stacks_[stack].frames);
  SampleWaitOf(sampler_, jni, thread, time, source, taker);
}

std::optional<Nanos> EarlierWaits::TakeStart(int64_t thread) {
  if (!follows_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(thread);
  if (found == places_.end()) return std::nullopt;
  const Nanos from_ns = waits_[found->second].from_ns;
  waits_[found->second] = {};
  places_.erase(found);
  return from_ns;
}

void EarlierWaits::EndUnseen(int64_t thread) {
  if (!follows_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(thread);
  if (found != places_.end()) waits_[found->second].has_ended = true;
}

void EarlierWaits::Clear(JNIEnv* jni) {
  follows_.store(false, std::memory_order_relaxed);
  if (jni != nullptr) {
    jni->DeleteGlobalRef(std::exchange(threads_, nullptr));
    jni->DeleteGlobalRef(std::exchange(ended_, nullptr));
  }
  const std::lock_guard lock(mutex_);
  waits_.clear();
  places_.clear();
  stacks_.clear();
}

}  // namespace jprof
