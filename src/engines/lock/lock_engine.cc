#include "engines/lock/lock_engine.h"

#include <optional>
#include <utility>

#include "answers/agent_answer.h"
#include "base/duration_text.h"
#include "base/log.h"
#include "engines/lock/slot_for_caller.h"
#include "engines/lock/thread_waits.h"
#include "engines/method/retransformation.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context) {
  const Status allowed = CheckNoArchiveIsRecorded(context.jvm_events.CurrentJni(), context.structs);
  if (!allowed) return allowed.error();
  EngineRequest request = RequestOf(options, SampleKind::kLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<LockEngine>(context, std::move(request)));
}

LockEngine::LockEngine(const EngineContext& context, EngineRequest request)
    : context_(context),
      request_(std::move(request)),
      monitors_(context.jvm_events, context.classes, request_.samples.interval),
      life_events_(context.registry),
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
  life_events_.Start();
  const Status started = parks_.Start(jni, *ids, context_.structs);
  return started ? virtual_lives_.Start(jni, *ids) : started;
}

// The probes first: a park that none of them has seen began before the look at all threads.
Status LockEngine::Start() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const ThreadIds& ids = *ThreadIds::OfProcess(jni);
  const std::lock_guard lock(mutex_);
  Status started = monitors_.Start(jni, ids);
  if (started) started = virtual_lives_.Open(jni, ids);
  is_recording_ = static_cast<bool>(started);
  return started;
}

bool LockEngine::Stop() {
  const bool monitors_may_go = monitors_.Stop();
  monitors_.StopTimes();
  bool may_go = monitors_may_go;
  life_events_.Stop();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  const std::lock_guard lock(mutex_);
  if (jni == nullptr || !std::exchange(has_begun_, false)) return may_go;
  may_go = virtual_lives_.Stop() && may_go;
  std::optional<SlotForCaller> slot;  // takes the samples of waits that have not ended
  if (std::exchange(is_recording_, false)) {
    slot.emplace(*GetThreadSlots());
    RecordUnfinished(jni);
  }
  if (monitors_may_go) monitors_.ForgetUnfinished(jni);
  may_go = parks_.Stop(jni) && may_go;
  Sampling().SetInterval(SampleKind::kLock, 0);
  return may_go;
}

void LockEngine::RecordUnfinished(JNIEnv* jni) {
  const LocalFrame frame(jni, 16);
  std::vector<WaitingThread> waiting;
  Result<std::vector<WaitingThread>> found =
      WaitingThreads(context_.jvm_events.jvmti(), jni, *ThreadIds::OfProcess(jni));
  if (found) {
    waiting = std::move(found).value();
  } else {
    Log::Warn("waits that have not ended are not recorded: %s", found.error().message().c_str());
  }
  monitors_.RecordUnfinished(jni, waiting);
  parks_.RecordUnfinished(jni, waiting, monitors_);
}

WaitSumsByType LockEngine::Read() {
  const ThreadWaits& waits = ThreadWaits::OfProcess();
  return {waits.Of(WaitType::kMonitorEnter), waits.Of(WaitType::kMonitorWait),
          waits.Of(WaitType::kPark)};
}

std::string LockEngine::Description() const {
  return "waits for locks of " + DurationText(request_.samples.interval) + " and more";
}

std::vector<std::string> LockEngine::Totals() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = WaitLines(Read(), request_.samples.interval);
  if (lines.empty()) lines.emplace_back("no thread has waited for a lock");
  if (monitors_.uncounted() != 0) {
    lines.push_back("warning: " + std::to_string(monitors_.uncounted()) +
                    " waits are not counted: too many threads waited at a time");
  }
  return lines;
}

std::vector<std::string> LockEngine::TakeNotes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = parks_.TakeNotes();
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
  life_events_.Collect(virtual_lives_);
}

// Those of BeforeLastDrain, while ended threads are still known.
void LockEngine::BeforeSamples(OpenChunk& chunk) { life_events_.Write(chunk); }

uint64_t LockEngine::Forget() { return life_events_.Forget(); }

// Of all waits since the start.
void LockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  WriteWaitCounters(written_, now_ns, writer);
}

}  // namespace jprof
