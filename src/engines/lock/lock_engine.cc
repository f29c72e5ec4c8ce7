#include "engines/lock/lock_engine.h"

#include <atomic>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/agent_answer.h"
#include "base/log.h"
#include "base/scaled_text.h"
#include "chunks/sample_events.h"
#include "chunks/thread_constants.h"
#include "engines/lock/lock_sampling.h"
#include "engines/lock/park_wall_time.h"
#include "engines/lock/thread_waits.h"
#include "engines/method/retransformation.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

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

namespace {

constexpr int kFirstJdkWithVirtualThreads = 21;

// Returns the interval at which the waits of virtual threads are sampled for `wall`; 0 if they are
// not sampled. With a filter they are not, because `filter` selects platform threads.
Nanos WallIntervalOf(const Options& options, const EngineContext& context) {
  const KindSettings& wall = options.samples[SampleKind::kWall];
  if (!wall.enabled() || !options.filter.selects_all()) return 0;
  const bool has_virtual = JdkRelease(context.jvm_events.jvmti()) >= kFirstJdkWithVirtualThreads;
  return has_virtual ? wall.interval : 0;
}

// Returns java.lang.VirtualThread; nullptr if it is not loaded. FindClass would initialize the
// class, and so start the threads of the JDK that schedule virtual threads.
jclass LoadedVirtualThread(JNIEnv* jni, jvmtiEnv* jvmti) {
  // A global reference, never freed. relaxed: all threads find the same class.
  static std::atomic<jclass> kept{nullptr};
  if (const jclass known = kept.load(std::memory_order_relaxed)) return known;
  const LocalFrame frame(jni, 16);
  const Result<std::vector<jclass>> found = LoadedClasses(
      jvmti, jni, [](std::string_view name) { return name == "java/lang/VirtualThread"; });
  if (!found || found.value().empty()) return nullptr;
  kept.store(static_cast<jclass>(jni->NewGlobalRef(found.value()[0])), std::memory_order_relaxed);
  return kept.load(std::memory_order_relaxed);
}

// True if the program has made a virtual thread: the JVM initializes the class for the first one.
bool HasMadeVirtualThread(JNIEnv* jni, const EngineContext& context) {
  jvmtiEnv* const jvmti = context.jvm_events.jvmti();
  const jclass thread = LoadedVirtualThread(jni, jvmti);
  jint status = 0;
  return thread != nullptr && jvmti->GetClassStatus(thread, &status) == JVMTI_ERROR_NONE &&
         (status & JVMTI_CLASS_STATUS_INITIALIZED) != 0;
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context) {
  const Status allowed = CheckNoArchiveIsRecorded(context.jvm_events.CurrentJni(), context.structs);
  if (!allowed) return allowed.error();
  EngineRequest request = RequestOf(options, SampleKind::kLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<LockEngine>(context, std::move(request),
                                                              WallIntervalOf(options, context),
                                                              options.cpu_signal.value_or(0)));
}

std::unique_ptr<Engine> MakeVirtualWaitEngine(const Options& options,
                                              const EngineContext& context) {
  if (options.samples[SampleKind::kLock].enabled()) return nullptr;
  const Nanos interval_ns = WallIntervalOf(options, context);
  if (interval_ns == 0 ||
      !CheckNoArchiveIsRecorded(context.jvm_events.CurrentJni(), context.structs)) {
    return nullptr;
  }
  return std::make_unique<LockEngine>(context, RequestOf(options, SampleKind::kWall), interval_ns,
                                      0);
}

LockEngine::LockEngine(const EngineContext& context, EngineRequest request, Nanos wall_interval_ns,
                       int cpu_signal)
    : context_(context),
      request_(std::move(request)),
      purposes_{request_.kind == SampleKind::kLock, wall_interval_ns != 0,
                !context.layout.thread_current_id.exists()},
      wall_interval_ns_(wall_interval_ns),
      cpu_signal_(cpu_signal),
      monitors_(context.jvm_events, context.classes, request_.samples.interval),
      holders_(context.jvm_events, context.registry, monitors_.open()),
      exact_sums_(context.registry),
      own_round_(context.jvm_events, context.structs),
      parks_(context.jvm_events, purposes_.lock ? context.probes : own_round_, context.classes),
      virtual_lives_(context.jvm_events, purposes_.lock ? context.probes : own_round_),
      virtual_monitors_(context.jvm_events, earlier_waits_) {}

Status LockEngine::Install() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return NotAttachedToJvm();
  }
  if (!purposes_.lock) return {};
  monitors_.StartTimes(context_.layout);
  Status begun;
  {
    const std::lock_guard lock(mutex_);
    begun = Begin(jni);
  }
  if (!begun) Stop();
  return begun;
}

Status LockEngine::Begin(JNIEnv* jni) {
  const ThreadIds* const ids = ThreadIds::OfProcess(jni);
  if (ids == nullptr) {
    return Error(
        "waits cannot be told apart: threads of this JVM have no ids, or it is out of memory");
  }
  has_begun_ = true;
  if (purposes_.lock) {
    Sampling().SetInterval(SampleKind::kLock, request_.samples.interval);
    ThreadWaits::OfProcess().Begin(request_.samples.interval);
    exact_sums_.Start();
  }
  if (purposes_.wall) {
    // From JDK 24 on, a JavaThread has the id of the virtual thread that it runs.
    const Result<WaitSampler> sampler =
        WaitSampler::For(jni, context_.jvm_events.jvmti(), context_.classes,
                         context_.layout.thread_current_id.exists());
    if (!sampler) return sampler.error();
    wall_sampler_ = sampler.value();
    const Status done = ParkWallTime::Begin(jni, *ids, wall_sampler_);
    if (!done) return done;
  }
  const Status started = parks_.Start(jni, *ids, context_.structs, purposes_);
  return started ? virtual_lives_.Start(jni, *ids) : started;
}

// The probes are in the code when Start is called. So if no probe has seen a park, the park began
// before MonitorWaits::Start lists the waiting threads.
Status LockEngine::Start() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const std::lock_guard lock(mutex_);
  return IsDormant() ? Wake(jni) : StartAll(jni);
}

Status LockEngine::StartAll(JNIEnv* jni) {
  const ThreadIds& ids = *ThreadIds::OfProcess(jni);
  Status started = purposes_.lock ? monitors_.Start(jni, ids) : Status();
  if (started) started = virtual_lives_.Open(jni, ids, purposes_.lock);
  if (started && purposes_.wall) started = StartWall(jni, ids);
  is_recording_ = static_cast<bool>(started);
  if (!started || !purposes_.lock) return started;
  const Status looks = holders_.Start(ids, parks_.probes(), cpu_signal_);
  if (!looks) without_holders_ = looks.error().message();
  return started;
}

Status LockEngine::Wake(JNIEnv* jni) {
  if (!HasMadeVirtualThread(jni, context_)) return {};
  Status done = Begin(jni);
  if (done) done = own_round_.Run(jni);
  return done ? StartAll(jni) : done;
}

Status LockEngine::StartWall(JNIEnv* jni, const ThreadIds& ids) {
  BeginWaitedTime(wall_interval_ns_);
  const Status started = virtual_monitors_.Start(jni, ids, wall_sampler_);
  const Status opened = started ? parks_.OpenWall(jni, wall_interval_ns_) : started;
  if (opened && !Sampling().window.IsLimited()) {
    earlier_waits_.Start(jni, ids, wall_sampler_,
                         [this](int64_t id) { return virtual_monitors_.Has(id); });
  }
  return opened;
}

bool LockEngine::Stop() {
  if (purposes_.lock) holders_.Stop();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  bool may_go = true;
  if (purposes_.wall) {
    EndWaitedTime();  // before the lock, which the end of a chunk might hold for a second
    const std::lock_guard lock(mutex_);
    if (jni != nullptr && is_recording_) SampleWaiting(jni, true);
    may_go = virtual_monitors_.Stop(jni);
    earlier_waits_.Clear(jni);
  }
  const bool monitors_may_go = monitors_.Stop();
  if (purposes_.lock) monitors_.StopTimes();
  may_go = monitors_may_go && may_go;
  exact_sums_.Stop();
  const std::lock_guard lock(mutex_);
  has_stopped_ = true;
  if (jni == nullptr || !std::exchange(has_begun_, false)) return may_go;
  may_go = virtual_lives_.Stop() && may_go;
  const TakerForOthers taker(*GetThreadSlots());
  const bool was_recording = std::exchange(is_recording_, false);
  if (was_recording && purposes_.lock) RecordUnfinished(jni, taker.slot());
  if (monitors_may_go) monitors_.ForgetUnfinished(jni);
  may_go = parks_.Stop(jni, taker.slot()) && may_go;
  if (purposes_.lock) {
    Sampling().SetInterval(SampleKind::kLock, 0);
  } else {
    // Restores the classes. The notes name those that could not be restored.
    static_cast<void>(own_round_.Run(jni));
  }
  return may_go;
}

void LockEngine::SampleWaiting(JNIEnv* jni, bool is_stop) {
  const TakerForOthers taker(*GetThreadSlots());
  if (taker.slot() == nullptr) return;
  earlier_waits_.SampleWaiting(jni, taker.slot());
  virtual_monitors_.SampleWaiting(jni, taker.slot());
  parks_.SampleWaiting(jni, taker.slot(), is_stop);
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
  if (!purposes_.lock) return "";
  return "waits for locks of " + DurationText(request_.samples.interval) + " and more";
}

std::vector<std::string> LockEngine::Totals() const {
  if (!purposes_.lock) return {};
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
  AppendNotes(own_round_.TakeNotes(), notes);
  if (!without_holders_.empty()) {
    notes.push_back("warning: the stacks of threads that hold locks are not recorded: " +
                    std::exchange(without_holders_, ""));
  }
  AppendNotes(monitors_.TakeNotes(), notes);
  AppendNotes(virtual_lives_.TakeNotes(), notes);
  return notes;
}

void LockEngine::AddSettings(EventSettings& settings) const {
  if (!purposes_.lock) return;
  for (const JfrType event :
       {JfrType::kJavaMonitorEnter, JfrType::kJavaMonitorWait, JfrType::kThreadPark}) {
    AddRequest(request_, event, settings);
    settings.Set(event, "threshold", DurationText(request_.samples.interval));
    settings.Set(event, "lock", std::to_string(request_.samples.interval));
  }
  settings.Enable(JfrType::kWaitsOfThread);
  settings.Enable(JfrType::kVirtualThreadTime);
}

void LockEngine::BeforeLastDrain(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (purposes_.wall && is_recording_ && jni != nullptr) SampleWaiting(jni, false);
  if (!purposes_.lock) return;
  written_ = Read();
  exact_sums_.Collect(virtual_lives_);
}

// Writes the sums that BeforeLastDrain has collected. Also writes the sums of threads that have
// ended, while the names of the ended threads are still known.
void LockEngine::BeforeSamples(OpenChunk& chunk) {
  if (purposes_.lock) exact_sums_.Write(chunk);
  if (!purposes_.wall || chunk.jni == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (IsDormant()) {
    const Status woken = Wake(chunk.jni);
    if (!woken) {
      has_stopped_ = true;
      Log::Warn("virtual threads that wait are not in wall: %s", woken.error().message().c_str());
    }
  }
  if (!is_recording_) return;
  const TakerForOthers taker(*GetThreadSlots());
  if (taker.slot() != nullptr) earlier_waits_.Check(chunk.jni, taker.slot());
}

uint64_t LockEngine::Forget() { return exact_sums_.Forget(); }

// Writes the sums of all waits since the start, as BeforeLastDrain has read them.
void LockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  if (!purposes_.lock) return;
  const std::lock_guard lock(mutex_);
  WriteWaitCounters(written_, now_ns, writer);
}

extern const SampleEvents kLockSampleEvents{Write, Count};

}  // namespace jprof
