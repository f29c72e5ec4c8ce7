#include "engines/lock/lock_engine.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/duration_text.h"
#include "engines/lock/waiting_threads.h"
#include "jvm/jvmti_ptr.h"
#include "recording/jfr/jfr_events.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {

Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context) {
  EngineRequest request = RequestOf(options, SampleKind::kLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<LockEngine>(context, std::move(request)));
}

LockEngine::LockEngine(const EngineContext& context, EngineRequest request)
    : context_(context), request_(std::move(request)) {}

Status LockEngine::Start() {
  const Status begun = Begin();
  if (!begun) Stop();
  return begun;
}

Status LockEngine::Begin() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return Error("waits cannot be recorded: this thread is not attached to the JVM");
  }
  const Result<const ThreadIds*> ids = ThreadIds::Find(jni);
  if (!ids) return ids.error();
  ids_ = ids.value();
  first_new_id_ = ids_->Next(jni);
  Sampling().SetInterval(SampleKind::kLock, interval_ns());
  start_ns_ = MonotonicNanos();
  is_on_.store(true, std::memory_order_release);
  Result<JvmEvents::Subscription> subscription = context_.jvm_events.Subscribe(
      *this, {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
              JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  LookAtWaiting(jni);
  return {};
}

// A thread that began its wait before its event was on, and still waits. That it has an open wait
// means that it began it since.
void LockEngine::LookAtWaiting(JNIEnv* jni) {
  const LocalFrame frame(jni, 16);
  auto waits = std::make_unique<WaitsAtStart>();
  for (const WaitingThread& each : WaitingThreads(context_.jvm_events.jvmti(), jni, *ids_)) {
    waits->emplace(each.id, each.type);
  }
  open_.ForEach([&](const OpenWait& wait) { waits->erase(wait.thread); });
  owned_at_start_ = std::move(waits);
  at_start_.store(owned_at_start_.get(), std::memory_order_release);
}

// An end without a begin. The VM waits as well, to initialize classes, and announces the end alone:
// that is no wait of the program for a lock.
std::optional<OpenWait> LockEngine::FromTheStart(int64_t thread, bool is_virtual,
                                                 WaitType type) const {
  const OpenWait since_start{thread, type, start_ns_, kNoTimeout, 0};
  if (is_virtual) {
    if (thread >= first_new_id_ || open_.without_place() != 0) return std::nullopt;
    return since_start;
  }
  const WaitsAtStart* const waits = at_start_.load(std::memory_order_acquire);
  if (waits == nullptr) return std::nullopt;
  const auto found = waits->find(thread);
  if (found == waits->end() || found->second != type) return std::nullopt;
  return since_start;
}

void LockEngine::OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  open_.Begin({ids_->Of(jni, thread), WaitType::kMonitorEnter, MonotonicNanos(), kNoTimeout, 0});
}

void LockEngine::OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const int64_t id = ids_->Of(jni, thread);
  std::optional<OpenWait> wait = open_.End(id, WaitType::kMonitorEnter);
  if (!wait) {
    wait = FromTheStart(id, ids_->IsVirtual(jni, thread), WaitType::kMonitorEnter);
  }
  if (wait) Record(jni, thread, object, *wait, now_ns, 0);
}

void LockEngine::OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jlong timeout) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  open_.Begin({ids_->Of(jni, thread), WaitType::kMonitorWait, MonotonicNanos(), timeout, 0});
}

void LockEngine::OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                 jboolean timed_out) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const int64_t id = ids_->Of(jni, thread);
  const bool is_virtual = ids_->IsVirtual(jni, thread);
  std::optional<OpenWait> wait = is_virtual
                                     ? open_.EndAndRemember(id, WaitType::kMonitorWait, now_ns)
                                     : open_.End(id, WaitType::kMonitorWait);
  if (!wait) wait = FromTheStart(id, is_virtual, WaitType::kMonitorWait);
  const uint8_t flags = timed_out != JNI_FALSE ? LockPayload::kTimedOut : 0;
  if (wait) Record(jni, thread, object, *wait, now_ns, flags);
}

void LockEngine::Record(JNIEnv* jni, jthread thread, jobject object, const OpenWait& wait,
                        Nanos now_ns, uint8_t flags) {
  const Nanos waited_ns = std::max<Nanos>(now_ns - wait.start_ns, 0);
  totals_.Add(wait.type, waited_ns, interval_ns(), wait.thread);
  const uint64_t weight = LockSampling::WeightOf(
      waited_ns, interval_ns(),
      static_cast<uint64_t>(now_ns) ^ static_cast<uint64_t>(wait.thread) << 32);
  if (weight == 0) return;
  jvmtiEnv* const jvmti = context_.jvm_events.jvmti();
  const jclass lock_class = jni->GetObjectClass(object);
  jint hash = 0;
  static_cast<void>(jvmti->GetObjectHashCode(object, &hash));
  LockPayload payload{};
  payload.start_ns = wait.start_ns;
  payload.waited_ns = waited_ns;
  payload.timeout = wait.timeout;
  payload.class_number = context_.classes.NumberOf(jvmti, jni, lock_class);
  payload.hash = static_cast<uint32_t>(hash);
  payload.type = wait.type;
  payload.flags = flags;
  jni->DeleteLocalRef(lock_class);
  std::optional<SampledThread> waiting;
  if (ids_->IsVirtual(jni, thread)) waiting = SampledThread::Virtual(wait.thread);
  TakeSample(LockSampling(weight, payload, 0, waiting), CallingThread());
}

bool LockEngine::Stop() {
  const bool was_on = is_on_.exchange(false, std::memory_order_acq_rel);
  const bool may_go = subscription_.CancelAndWait();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (was_on && jni != nullptr) RecordUnfinished(jni);
  if (was_on) Sampling().SetInterval(SampleKind::kLock, 0);
  return may_go;
}

// Waits that go on, with their time so far. Of platform threads the JVM says which do; of virtual
// threads those whose end was not announced.
void LockEngine::RecordUnfinished(JNIEnv* jni) {
  const LocalFrame frame(jni, 16);
  jvmtiEnv* const jvmti = context_.jvm_events.jvmti();
  std::unordered_map<int64_t, OpenWait> open;
  open_.ForEach([&](const OpenWait& wait) { open.emplace(wait.thread, wait); });
  const Nanos now_ns = MonotonicNanos();
  const auto record = [&](jthread thread, const OpenWait& wait, const SampledThread& waiting) {
    const Nanos waited_ns = std::max<Nanos>(now_ns - wait.start_ns, 0);
    totals_.Add(wait.type, waited_ns, interval_ns(), wait.thread);
    const uint64_t weight =
        LockSampling::WeightOf(waited_ns, interval_ns(), static_cast<uint64_t>(wait.thread));
    if (weight == 0) return;
    LockPayload payload{};
    payload.start_ns = wait.start_ns;
    payload.waited_ns = waited_ns;
    payload.timeout = wait.timeout;
    payload.type = wait.type;
    payload.flags = LockPayload::kUnfinished;
    TakeSample(LockSampling(weight, payload, 0, waiting), StackOfWaiting(jvmti, thread));
  };
  std::unordered_set<int64_t> platform;
  for (const WaitingThread& each : WaitingThreads(jvmti, jni, *ids_)) {
    platform.insert(each.id);
    if (each.type == WaitType::kPark) continue;
    const auto began = open.find(each.id);
    const OpenWait wait = began != open.end() && began->second.type == each.type
                              ? began->second
                              : OpenWait{each.id, each.type, start_ns_, kNoTimeout, 0};
    record(each.thread, wait, ThreadIds::Sampled(each.id, false));
  }
  for (const auto& [id, wait] : open) {
    const bool is_platform =
        platform.contains(id) || !(ThreadIds::Sampled(id, false) == SampledThread());
    if (!is_platform && ids_->has_virtual()) record(nullptr, wait, SampledThread::Virtual(id));
  }
}

std::string LockEngine::Description() const {
  return "lock waits from " + DurationText(interval_ns()) + " on";
}

// "monitor enter: 625 waits of 12.3 s, longest 500 ms; 400 of them, 1.20 s, shorter than 10 ms".
std::vector<std::string> LockEngine::Totals() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums sums = totals_.Of(static_cast<WaitType>(i));
    if (sums.waits == 0) continue;
    const auto text = [](uint64_t ns) { return RoundedDurationText(static_cast<int64_t>(ns)); };
    lines.push_back(std::string(kWaitNames[i]) + ": " + std::to_string(sums.waits) + " waits of " +
                    text(sums.total_ns) + " in all, longest " + text(sums.longest_ns) + "; " +
                    std::to_string(sums.short_waits) + " of " + text(sums.short_ns) +
                    " were shorter than " + DurationText(interval_ns()));
  }
  if (lines.empty()) lines.emplace_back("no thread has waited for a lock");
  if (open_.without_place() != 0) {
    lines.push_back("warning: " + std::to_string(open_.without_place()) +
                    " waits are not counted: too many threads waited at a time");
  }
  return lines;
}

void LockEngine::AddSettings(EventSettings& settings) const {
  for (const JfrType event :
       {JfrType::kJavaMonitorEnter, JfrType::kJavaMonitorWait, JfrType::kThreadPark}) {
    AddRequest(request_, event, settings);
    settings.Set(event, "threshold", DurationText(interval_ns()));
    settings.Set(event, "lock", std::to_string(interval_ns()));
  }
  settings.Enable(JfrType::kLockWait);
  settings.Enable(JfrType::kWaitCounts);
}

void LockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums sums = totals_.Of(static_cast<WaitType>(i));
    if (sums.waits == 0) continue;
    WaitCounts event;
    event.time_ns = now_ns;
    event.kind = kWaitNames[i];
    event.waits = sums.waits;
    event.total_ns = static_cast<int64_t>(sums.total_ns);
    event.longest_ns = static_cast<int64_t>(sums.longest_ns);
    event.short_waits = sums.short_waits;
    event.short_ns = static_cast<int64_t>(sums.short_ns);
    writer.Append(event);
  }
}

}  // namespace jprof
