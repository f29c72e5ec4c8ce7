#include "engines/lock/lock_engine.h"

#include <optional>
#include <utility>

#include "answers/agent_answer.h"
#include "base/log.h"
#include "base/scaled_text.h"
#include "chunks/sample_events.h"
#include "chunks/thread_constants.h"
#include "engines/lock/lock_sampling.h"
#include "engines/lock/thread_waits.h"
#include "engines/method/retransformation.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

constexpr auto kEnter = static_cast<size_t>(WaitType::kMonitorEnter);
constexpr auto kWait = static_cast<size_t>(WaitType::kMonitorWait);
constexpr auto kPark = static_cast<size_t>(WaitType::kPark);

// Returns the sums over all virtual threads since the start of the recording.
VirtualThreadTime TimeOf(const VirtualSums& sums) {
  const ThreadWaits& waits = ThreadWaits::OfProcess();
  const WaitSums blocked = waits.OfVirtual(WaitType::kMonitorEnter);
  const WaitSums waiting = waits.OfVirtual(WaitType::kMonitorWait);
  const WaitSums parked = waits.OfVirtual(WaitType::kPark);
  VirtualThreadTime time{};
  time.first_id = sums.first_id;
  time.started = sums.lives.begun;
  time.ended = sums.lives.ended;
  time.lifetime_ns = sums.lives.total_ns;
  time.unstarted_ns = sums.first_waits.total_ns;
  time.blocks = blocked.waits;
  time.blocked_ns = static_cast<int64_t>(blocked.total_ns);
  time.waits = waiting.waits;
  time.waiting_ns = static_cast<int64_t>(waiting.total_ns);
  time.parks = parked.waits;
  time.parked_ns = static_cast<int64_t>(parked.total_ns);
  time.sleeps = sums.sleeps.begun;
  time.sleeping_ns = sums.sleeps.total_ns;
  return time;
}

VirtualThreadTime Less(VirtualThreadTime now, const VirtualThreadTime& before) {
  now.started -= before.started;
  now.ended -= before.ended;
  now.lifetime_ns -= before.lifetime_ns;
  now.unstarted_ns -= before.unstarted_ns;
  now.blocks -= before.blocks;
  now.blocked_ns -= before.blocked_ns;
  now.waits -= before.waits;
  now.waiting_ns -= before.waiting_ns;
  now.parks -= before.parks;
  now.parked_ns -= before.parked_ns;
  now.sleeps -= before.sleeps;
  now.sleeping_ns -= before.sleeping_ns;
  return now;
}

// Returns an event of the type `Event`, which is an event of the JDK with fields of ours at its
// end. Sets only the members that the events of all types of waits have. The duration of the event
// is the weight of the sample, so that sums of durations are unbiased in every reader. The event
// ends when the wait ended. If the wait was shorter than the interval, the weight is the interval,
// and the event begins before the wait.
template <typename Event>
Event EventFrom(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns) {
  Event event;
  event.time_ns = time_ns;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.class_key = resolved.classes.KeyOf(payload.class_number);
  event.address = payload.hash;
  // The duration of a lost wait is unknown, and its weight takes the place of the duration.
  event.waited_ns = resolved.lost ? event.duration_ns : payload.waited_ns;
  event.is_unfinished = (payload.flags & LockPayload::kUnfinished) != 0;
  return event;
}

// Returns the key of a stack that another thread had at about `time_ns`; 0 if there is none, or if
// it is no longer stored.
uint32_t KeyOf(const ResolvedSample& resolved, CallTraceId stack, Nanos time_ns) {
  const bool is_known = stack != kNoCallTrace && resolved.stacks.IsStored(stack);
  return is_known ? resolved.stacks.KeyOf(stack, time_ns) : 0;
}

uint32_t KeyOf(const ResolvedSample& resolved, PayloadThread thread) {
  return thread == PayloadThread::kUnknown ? 0
                                           : resolved.threads.KeyOfMentioned(FromPayload(thread));
}

void WritePark(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns,
               JfrWriter& writer) {
  auto event = EventFrom<ThreadPark>(resolved, payload, time_ns);
  const bool is_deadline = (payload.flags & LockPayload::kIsDeadline) != 0;
  event.timeout_ns = is_deadline ? kNoTimeout : payload.timeout;
  event.until_epoch_ms = is_deadline ? payload.timeout : kNoTimeout;
  event.owner_key = KeyOf(resolved, payload.owner);
  event.waker_key = KeyOf(resolved, payload.waker);
  event.is_io = (payload.flags & LockPayload::kIsIo) != 0;
  event.holder_key = KeyOf(resolved, payload.holder);
  event.holder_stack_key = KeyOf(resolved, payload.holder_stack, payload.start_ns);
  event.waker_stack_key = KeyOf(resolved, payload.waker_stack, resolved.sample.time_ns);
  writer.Append(event);
}

void WriteWait(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns,
               JfrWriter& writer) {
  auto event = EventFrom<JavaMonitorWait>(resolved, payload, time_ns);
  event.notifier_key = KeyOf(resolved, payload.waker);
  event.timeout_ms = payload.timeout == kNoTimeout ? 0 : payload.timeout;
  event.is_timed_out = (payload.flags & LockPayload::kTimedOut) != 0;
  event.owner_key = KeyOf(resolved, payload.owner);
  event.is_class_initialization = (payload.flags & LockPayload::kIsClassInitialization) != 0;
  writer.Append(event);
}

void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  // Only the time and the weight of a lost sample are known.
  const LockPayload payload =
      resolved.lost ? LockPayload{} : resolved.sample.Payload<LockPayload>();
  const auto weight = static_cast<Nanos>(resolved.sample.weight);
  const Nanos time_ns =
      resolved.lost ? resolved.sample.time_ns : payload.start_ns + payload.waited_ns - weight;
  if (payload.type == WaitType::kPark) {
    WritePark(resolved, payload, time_ns, writer);
  } else if (payload.type == WaitType::kMonitorWait) {
    WriteWait(resolved, payload, time_ns, writer);
  } else {
    auto event = EventFrom<JavaMonitorEnter>(resolved, payload, time_ns);
    event.owner_key = KeyOf(resolved, payload.owner);
    event.holder_key = KeyOf(resolved, payload.holder);
    event.holder_stack_key = KeyOf(resolved, payload.holder_stack, payload.start_ns);
    writer.Append(event);
  }
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

void ExactSumEvents::Start() {
  is_started_ = true;
  registry_.AddListener(this);
}

void ExactSumEvents::Stop() {
  if (std::exchange(is_started_, false)) registry_.RemoveListener(this);
}

void ExactSumEvents::Collect(const VirtualLives& lives) {
  for (const ThreadWaits::OfThread& each : ThreadWaits::OfProcess().Take()) {
    threads_.push_back(each);
  }
  const VirtualSums sums = lives.Read();
  if (sums.first_id == 0) return;
  const VirtualThreadTime now = TimeOf(sums);
  const VirtualThreadTime grown = Less(now, std::exchange(before_, now));
  if (now.started != 0) virtual_ = grown;
}

void ExactSumEvents::Write(OpenChunk& chunk) {
  const std::vector<ThreadWaits::OfThread> ended = ThreadWaits::OfProcess().TakeEnded();
  threads_.insert(threads_.end(), ended.begin(), ended.end());
  for (const ThreadWaits::OfThread& each : std::exchange(threads_, {})) {
    const auto time = [&each](size_t type) {
      return static_cast<int64_t>(each.sums[type].total_ns);
    };
    chunk.writer.Append(WaitsOfThread{chunk.now_ns, chunk.threads.KeyOf(each.serial, each.tid),
                                      each.sums[kEnter].waits, time(kEnter), each.sums[kWait].waits,
                                      time(kWait), each.sums[kPark].waits, time(kPark)});
  }
  if (!virtual_) return;
  virtual_->time_ns = chunk.now_ns;
  chunk.writer.Append(*std::exchange(virtual_, std::nullopt));
}

uint64_t ExactSumEvents::Forget() {
  const uint64_t events =
      threads_.size() + ThreadWaits::OfProcess().TakeEnded().size() + (virtual_ ? 1 : 0);
  threads_.clear();
  virtual_.reset();
  return events;
}

Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context) {
  const Status allowed = CheckNoArchiveIsRecorded(context.jvm_events.CurrentJni(), context.structs);
  if (!allowed) return allowed.error();
  EngineRequest request = RequestOf(options, SampleKind::kLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(
      std::make_unique<LockEngine>(context, std::move(request), options.cpu_signal.value_or(0)));
}

LockEngine::LockEngine(const EngineContext& context, EngineRequest request, int cpu_signal)
    : context_(context),
      request_(std::move(request)),
      cpu_signal_(cpu_signal),
      monitors_(context.jvm_events, context.classes, request_.samples.interval),
      holders_(context.jvm_events, context.registry, monitors_.open()),
      exact_sums_(context.registry),
      parks_(context.jvm_events, context.probes, context.classes),
      virtual_lives_(context.jvm_events, context.probes) {}

Status LockEngine::Install() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return NotAttachedToJvm();
  }
  monitors_.StartTimes(context_.layout);
  const Status begun = Begin(jni);
  if (!begun) Stop();
  return begun;
}

Status LockEngine::Begin(JNIEnv* jni) {
  const ThreadIds* const ids = ThreadIds::OfProcess(jni);
  if (ids == nullptr) {
    return Error(
        "waits cannot be told apart: threads of this JVM have no ids, or it is out of memory");
  }
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  Sampling().SetInterval(SampleKind::kLock, request_.samples.interval);
  ThreadWaits::OfProcess().Begin(request_.samples.interval);
  exact_sums_.Start();
  const Status started = parks_.Start(jni, *ids, context_.structs);
  return started ? virtual_lives_.Start(jni, *ids) : started;
}

// The probes are in the code when Start is called. So if no probe has seen a park, the park began
// before MonitorWaits::Start lists the waiting threads.
Status LockEngine::Start() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const ThreadIds& ids = *ThreadIds::OfProcess(jni);
  const std::lock_guard lock(mutex_);
  Status started = monitors_.Start(jni, ids);
  if (started) started = virtual_lives_.Open(jni, ids);
  is_recording_ = static_cast<bool>(started);
  if (!started) return started;
  const Status looks = holders_.Start(ids, parks_.probes(), cpu_signal_);
  if (!looks) without_holders_ = looks.error().message();
  return started;
}

bool LockEngine::Stop() {
  holders_.Stop();
  const bool monitors_may_go = monitors_.Stop();
  monitors_.StopTimes();
  bool may_go = monitors_may_go;
  exact_sums_.Stop();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  const std::lock_guard lock(mutex_);
  if (jni == nullptr || !std::exchange(has_begun_, false)) return may_go;
  may_go = virtual_lives_.Stop() && may_go;
  const TakerForOthers taker(*GetThreadSlots());
  if (std::exchange(is_recording_, false)) RecordUnfinished(jni, taker.slot());
  if (monitors_may_go) monitors_.ForgetUnfinished(jni);
  may_go = parks_.Stop(jni, taker.slot()) && may_go;
  Sampling().SetInterval(SampleKind::kLock, 0);
  return may_go;
}

void LockEngine::RecordUnfinished(JNIEnv* jni, ThreadSlot* taker) {
  const LocalFrame frame(jni, 16);
  std::vector<WaitingThread> waiting;
  Result<std::vector<WaitingThread>> found =
      WaitingThreads(context_.jvm_events.jvmti(), jni, *ThreadIds::OfProcess(jni));
  if (found) {
    waiting = std::move(found).value();
  } else {
    Log::Warn("waits that have not ended are not recorded: %s", found.error().message().c_str());
  }
  monitors_.RecordUnfinished(jni, waiting, taker);
  parks_.RecordUnfinished(jni, waiting, monitors_, taker);
}

WaitSumsByType LockEngine::Read() {
  const ThreadWaits& waits = ThreadWaits::OfProcess();
  return {waits.Of(WaitType::kMonitorEnter), waits.Of(WaitType::kMonitorWait),
          waits.Of(WaitType::kPark)};
}

std::optional<Engine::Signal> LockEngine::signal() const {
  const std::optional<int> number = holders_.signal();
  return number ? std::optional(Signal{SampleKind::kLock, *number}) : std::nullopt;
}

std::string LockEngine::Description() const {
  return "waits for locks of " + DurationText(request_.samples.interval) + " and more";
}

std::vector<std::string> LockEngine::Totals() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = WaitLines(Read(), request_.samples.interval);
  if (lines.empty()) lines.emplace_back("no thread has waited for a lock");
  AppendNotes(holders_.Totals(), lines);
  if (monitors_.uncounted() != 0) {
    lines.push_back("warning: " + std::to_string(monitors_.uncounted()) +
                    " waits are not counted: too many threads waited at a time");
  }
  return lines;
}

std::vector<std::string> LockEngine::TakeNotes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = parks_.TakeNotes();
  if (!without_holders_.empty()) {
    notes.push_back("warning: the stacks of threads that hold locks are not recorded: " +
                    std::exchange(without_holders_, ""));
  }
  AppendNotes(monitors_.TakeNotes(), notes);
  AppendNotes(virtual_lives_.TakeNotes(), notes);
  return notes;
}

void LockEngine::AddSettings(EventSettings& settings) const {
  for (const JfrType event :
       {JfrType::kJavaMonitorEnter, JfrType::kJavaMonitorWait, JfrType::kThreadPark}) {
    AddRequest(request_, event, settings);
    settings.Set(event, "threshold", DurationText(request_.samples.interval));
    settings.Set(event, "lock", std::to_string(request_.samples.interval));
  }
  settings.Enable(JfrType::kWaitsOfThread);
  settings.Enable(JfrType::kVirtualThreadTime);
}

void LockEngine::BeforeLastDrain(JNIEnv*) {
  const std::lock_guard lock(mutex_);
  written_ = Read();
  exact_sums_.Collect(virtual_lives_);
}

// Writes the sums that BeforeLastDrain has collected. Also writes the sums of threads that have
// ended, while the names of the ended threads are still known.
void LockEngine::BeforeSamples(OpenChunk& chunk) { exact_sums_.Write(chunk); }

uint64_t LockEngine::Forget() { return exact_sums_.Forget(); }

// Writes the sums of all waits since the start, as BeforeLastDrain has read them.
void LockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  WriteWaitCounters(written_, now_ns, writer);
}

extern const SampleEvents kLockSampleEvents{Write, Count};

}  // namespace jprof
