#include "recording/recording_control.h"

#include <algorithm>
#include <utility>

#include "answers/answer_text.h"
#include "answers/method_calls.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "jvm/hotspot_check.h"
#include "jvm/jni_scope.h"
#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"
#include "os/fork_watch.h"
#include "os/own_work.h"
#include "recording/recording_report.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

constexpr char kCannotAttach[] = "cannot attach to the JVM: it is ending";

// True if the JVM has Java threads. False in Agent_OnLoad, where no thread can be attached.
bool HasJavaThreads() {
  const Result<VmStructs> structs = LoadVmStructs();
  if (!structs || structs.value().statics.java_thread_count == nullptr) return false;
  int32_t count = 0;
  return SafeLoad(structs.value().statics.java_thread_count, &count) && count != 0;
}

// Returns the error with which every command fails while another copy of the agent is recording;
// nullopt if no other copy is recording.
std::optional<Error> OtherAgentRecords() {
  const std::optional<std::string> other = FindRecordingAgent();
  if (!other) return std::nullopt;
  return Error("another copy of the agent, " + *other +
               ", is recording in this JVM: give it the command, with jprof by --library " +
               *other);
}

// Prepends the notes: they describe what happened before the answer.
void AddNotes(const std::vector<std::string>& notes, AgentAnswer& answer) {
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
}

}  // namespace

Status RecordingControl::Connect(JavaVM* vm) {
  const std::lock_guard lock(mutex_);
  if (events_ != nullptr) return {};
  // In the live phase the VM assumes that the caller of GetEnv is attached (jdk-17+35
  // src/hotspot/share/prims/jvmtiExport.cpp, get_jvmti_interface).
  std::optional<JniScope> attached;
  if (HasJavaThreads()) attached.emplace(vm);
  const Status hotspot = CheckIsHotSpot(vm);
  if (!hotspot) return hotspot;
  const Status reserved = MemoryReserve::OfProcess().Prepare();
  if (!reserved) return reserved.error();
  const Status watched = WatchForks();
  if (!watched) return watched;
  const Result<JvmEvents*> events = JvmEvents::Create(vm);
  if (!events) return events.error();
  Result<JvmEvents::Subscription> subscription =
      events.value()->Subscribe(*this, {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  events_ = events.value();
  return {};
}

JavaVM* RecordingControl::vm() {
  const std::lock_guard lock(mutex_);
  return events_ == nullptr ? nullptr : events_->vm();
}

bool RecordingControl::IsLaunching() {
  jvmtiPhase phase = JVMTI_PHASE_LIVE;
  static_cast<void>(events_->jvmti()->GetPhase(&phase));
  return phase != JVMTI_PHASE_LIVE && phase != JVMTI_PHASE_DEAD;
}

Result<AgentAnswer> RecordingControl::StartAtVmInit(const Options& options) {
  {
    const std::lock_guard lock(mutex_);
    if (at_vm_init_) return Error("a recording waits already for the JVM to be initialised");
    if (!has_seen_vm_init_) {
      at_vm_init_ = options;
      return AgentAnswer{AnswerKind::kStartsLater};
    }
  }
  return Start(options);
}

Result<AgentAnswer> RecordingControl::Start(const Options& options,
                                            const std::function<bool()>& is_awaited) {
  JPROF_CHECK(events_ != nullptr);
  const JniScope jni(events_->vm());
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending; nothing was started");
  EndAbandoned();
  return StartWith(options, {jni.get(), is_awaited});
}

Result<AgentAnswer> RecordingControl::StartWith(const Options& options, const Starter& starter) {
  const Status begun = state_.Begin(RecordingAction::kStart, RecordingState::kPatience);
  if (!begun) return RefusedStart(begun.error());
  // The destructor of old_timers joins the threads of the timers. These threads might be waiting
  // for the end of this start, so the destructor has to run after state_.End.
  const StopTimers old_timers = std::exchange(timers_, {});
  Result<std::unique_ptr<Recording>> recording = SetUp(options, starter);
  const std::lock_guard lock(mutex_);
  if (!recording) {
    state_.End(RecordingPhase::kIdle);
    last_stop_.Cancel();
    return recording.error().WithMessage("cannot start: " + recording.error().message());
  }
  recording_ = std::move(recording).value();
  AgentAnswer answer{AnswerKind::kStarted};
  for (const auto& engine : recording_->engines()) {
    const std::string description = engine->Description();
    if (!description.empty()) answer.facts.AddText("engines[]", description);
  }
  answer.facts.AddText("file", recording_->path());
  answer.notes = recording_->TakeNotes();
  if (!notice_.empty()) answer.notes.push_back(std::exchange(notice_, std::string()));
  state_.End(RecordingPhase::kRunning);
  return answer;
}

Error RecordingControl::Refused(const Error& refused) {
  if (const std::optional<Error> other = OtherAgentRecords()) return *other;
  const std::lock_guard lock(mutex_);
  if (!at_vm_init_) return refused;
  return refused.WithMessage(refused.message() + "; " + kStartsLater);
}

// Adds the file and the start of the running recording to the message of `refused`. That recording
// can be one that started only after the refusal.
Error RecordingControl::RefusedStart(const Error& refused) {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr || refused.kind() != ErrorKind::kAlreadyRecording) return refused;
  return refused.WithMessage(
      refused.message() + " to " + recording_->path() + " since " +
      SinceText(recording_->start_time(), MonotonicNanos() - recording_->start_ns()) +
      "; the command stop ends it");
}

Result<JvmConnection*> RecordingControl::Jvm(JNIEnv* jni) {
  const std::lock_guard lock(connection_mutex_);
  if (connection_ == nullptr) {
    const Result<JvmConnection*> made = JvmConnection::Make(*events_, jni);
    if (!made) return made.error();
    connection_ = made.value();
  }
  return connection_;
}

Result<std::unique_ptr<Recording>> RecordingControl::SetUp(const Options& options,
                                                           const Starter& starter) {
  if (const std::optional<Error> other = OtherAgentRecords()) return *other;
  if (events_->is_ending()) return Error("the JVM is ending");
  needs_heap_.store(true, std::memory_order_release);
  if (const Status reserved = MemoryReserve::OfProcess().Prepare(); !reserved) {
    return reserved.error();
  }
  const Result<JvmConnection*> jvm = Jvm(starter.jni);
  if (!jvm) return jvm.error();
  jvm_ = jvm.value();
  uint32_t number = 0;
  {
    // FinishStop cancels the thread of last_stop_ under the lock. So once this lock is taken, the
    // previous stop has cancelled that thread.
    const std::lock_guard lock(mutex_);
    number = ++recordings_;
  }
  if (HasConcurrentCollector(jvm_->structs)) {
    const Result<Tid> prepared = last_stop_.Prepare(events_->vm());
    if (!prepared) return prepared.error();
    jvm_->registry.Ignore(prepared.value());
  } else {
    collector_outlives_vm_death_.store(true, std::memory_order_release);
  }
  const auto stop = [this, number] { return StopByTimer(number, RecordingState::kForever); };
  // stop_soon runs on the recorder's thread. A stop waits for the recorder's thread, so another
  // thread calls `stop`.
  const auto stop_soon = [this, stop] { return timers_.StopSoon(jvm_->registry, stop); };
  Result<std::unique_ptr<Recording>> recording =
      Recording::Start(*jvm_, starter.jni, options, {number, stop_soon});
  if (!recording) return recording.error();
  const Status begun = Begin(*recording.value(), options, starter, stop);
  if (begun) return recording;
  timers_.Cancel();
  return begun.error();
}

Status RecordingControl::Begin(Recording& recording, const Options& options, const Starter& starter,
                               const StopTimers::Stop& stop) {
  {
    const std::lock_guard path_lock(path_mutex_);
    path_ = recording.path();
  }
  std::optional<Nanos> deadline_ns;
  if (options.timeout_ns) deadline_ns = recording.start_ns() + *options.timeout_ns;
  const Status timed = timers_.Begin(deadline_ns, recording.lease(), jvm_->registry, stop);
  if (!timed) return timed;
  const Status begun = recording.Begin();
  if (!begun) return begun;
  const bool is_awaited = !starter.is_awaited || options.lease_file || starter.is_awaited();
  return is_awaited ? Status() : Error("the caller has gone");
}

Result<AgentAnswer> RecordingControl::Dump(const Options& options) {
  const Status begun = state_.Begin(RecordingAction::kDump, RecordingState::kPatience);
  if (!begun) return Refused(begun.error());
  const Result<std::vector<std::string>> forced = ForceIfAsked(*recording_, options);
  if (!forced) {
    state_.End(RecordingPhase::kRunning);
    return forced.error();
  }
  const Result<RecordingSummary> written = recording_->WriteChunk();
  needs_heap_.store(false, std::memory_order_release);
  Result<AgentAnswer> answer = recording_->UpdateOutput(written);
  needs_heap_.store(true, std::memory_order_release);
  if (answer) AddNotes(forced.value(), answer.value());
  const std::string path = recording_->path();
  state_.End(RecordingPhase::kRunning);
  if (answer) return answer;
  return answer.error().WithMessage("cannot dump to " + path + ": " + answer.error().message());
}

Result<AgentAnswer> RecordingControl::Stop(const Options& options) {
  const JniScope jni(events_->vm());
  if (!jni) return Error(kCannotAttach);
  const Status begun = state_.Begin(RecordingAction::kStop, RecordingState::kPatience);
  if (!begun) return Refused(begun.error());
  const std::shared_ptr<const CallerLease>& lease = recording_->lease();
  if (options.lease_file && (lease == nullptr || lease->path() != *options.lease_file)) {
    const std::string path = recording_->path();
    state_.End(RecordingPhase::kRunning);
    return Error("another caller stopped the recording and now records to " + path);
  }
  return FinishStop(options);
}

// Forces a collection if `options` asks for it. Returns a note on the cost of the collection, or an
// empty list if no collection was forced.
Result<std::vector<std::string>> RecordingControl::ForceIfAsked(Recording& recording,
                                                                const Options& options) {
  if (!options.force_collection) return std::vector<std::string>();
  const JniScope jni(events_->vm());
  if (!jni) return Error(kCannotAttach);
  const auto cost = recording.CarryOut(Engine::Command::kCollect, jni.get());
  if (!cost) {
    return Error("gc is for live objects, which this recording does not have: start it with live");
  }
  if (!*cost) return cost->error();
  return std::vector<std::string>{cost->value().cost};
}

// Stops the recording `number` unless it has already ended. Returns false if the recording could
// not be stopped; the timer then calls again.
bool RecordingControl::StopByTimer(uint32_t number, Nanos patience) {
  const JniScope jni(events_->vm());
  if (!jni) {
    LogAnswer(Error(kCannotAttach));
    return state_.phase() == RecordingPhase::kIdle;
  }
  if (!state_.Begin(RecordingAction::kStop, patience)) return true;
  if (recordings_ != number) {
    state_.End(RecordingPhase::kRunning);
    return true;
  }
  LogAnswer(FinishStop());
  return state_.phase() == RecordingPhase::kIdle;
}

// Ends a recording whose `jprof record` has died. Without this, a new start would fail until the
// timer has detected the death.
void RecordingControl::EndAbandoned() {
  uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (recording_ == nullptr || recording_->lease() == nullptr) return;
    if (recording_->lease()->IsHeld()) return;
    number = recordings_;
  }
  StopByTimer(number, RecordingState::kPatience);
}

// Called on a thread that was attached before the stop began, because attaching a thread might wait
// for memory.
Result<AgentAnswer> RecordingControl::FinishStop(const Options& options) {
  std::unique_ptr<Recording> recording = TakeRecording();
  const Result<std::vector<std::string>> forced = ForceIfAsked(*recording, options);
  if (!forced) {
    PutRecording(std::move(recording));
    state_.End(RecordingPhase::kRunning);
    return forced.error();
  }
  // The timer's thread is not joined here, because it might be waiting for the end of this stop;
  // the next start joins it. If the stop was refused, this is not reached, and the timer goes on.
  timers_.Cancel();
  recording->FinishSampling();
  needs_heap_.store(false, std::memory_order_release);
  Result<Recording::Ended> ended = recording->End();
  const std::string path = recording->path();
  recording.reset();
  {
    const std::lock_guard lock(mutex_);
    if (ended) notice_ = ended.value().notice;
    state_.End(RecordingPhase::kIdle);
    last_stop_.Cancel();
  }
  if (ended) {
    AddNotes(forced.value(), ended.value().answer);
    return std::move(ended).value().answer;
  }
  return Error("stopped, but " + path + " is not complete: " + ended.error().message());
}

std::unique_ptr<Recording> RecordingControl::TakeRecording() {
  const std::lock_guard lock(mutex_);
  return std::move(recording_);
}

void RecordingControl::PutRecording(std::unique_ptr<Recording> recording) {
  const std::lock_guard lock(mutex_);
  recording_ = std::move(recording);
}

AgentAnswer RecordingControl::CurrentStatus() {
  RecordingStatus status;
  const std::lock_guard lock(mutex_);
  status.phase = state_.phase();
  if (status.phase == RecordingPhase::kIdle) status.notice = at_vm_init_ ? kStartsLater : notice_;
  const bool is_changing =
      status.phase == RecordingPhase::kStarting || status.phase == RecordingPhase::kStopping;
  if (is_changing || recording_ == nullptr) return StatusAnswer(status);
  status.recording = recording_->Describe();
  if (const std::optional<Nanos> deadline_ns = timers_.deadline_ns()) {
    status.recording->time_left_ns = std::max<Nanos>(*deadline_ns - MonotonicNanos(), 0);
  }
  return StatusAnswer(status);
}

Result<AgentAnswer> RecordingControl::Methods() {
  const JniScope jni(events_->vm());
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending");
  const Status begun = state_.Begin(RecordingAction::kRead, RecordingState::kPatience);
  if (!begun) return Refused(begun.error());
  const auto listed = recording_->CarryOut(Engine::Command::kListMethods, jni.get());
  state_.End(RecordingPhase::kRunning);
  if (listed && !*listed) return listed->error();
  if (!listed || listed->value().methods.empty()) return Error("no method is being traced");
  AgentAnswer answer{AnswerKind::kMethods};
  AddMethodCalls(listed->value().methods, answer.facts);
  return answer;
}

void RecordingControl::LogStart(const Result<AgentAnswer>& started) {
  if (started) {
    LogAnswer(started);
    return;
  }
  // The error kAlreadyRecording means that an earlier agent has started a recording.
  const bool is_recorded = started.error().kind() == ErrorKind::kAlreadyRecording;
  Log::ErrorLine("%s%s", started.error().message().c_str(),
                 is_recorded ? "" : "; the program runs unprofiled");
}

void RecordingControl::OnVMInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  const OwnWork work;
  when_live_(events_->vm());
  std::optional<Options> options;
  {
    const std::lock_guard lock(mutex_);
    has_seen_vm_init_ = true;
    options = std::exchange(at_vm_init_, std::nullopt);
  }
  if (!options) return;
  deliver_start_(*options, StartWith(*options, {.jni = jni, .is_awaited = {}}));
}

// If the collector works until VMDeath, stops the recording on this thread, the one that ends the
// JVM. Otherwise stops it on the thread of last_stop_.
void RecordingControl::OnVMDeath(jvmtiEnv*, JNIEnv*) {
  if (state_.phase() == RecordingPhase::kIdle) return;
  if (OwnWork::IsOnThisThread()) {
    return WarnIncomplete("an event of the profiler's own work ended it");
  }
  const OwnWork work;
  if (collector_outlives_vm_death_.load(std::memory_order_acquire) || StopWithPatience()) {
    StopIfRunning();
  }
}

// Stops the recording on the thread of last_stop_. Returns false if the stop has not ended after 10
// s and still needs memory: it might wait for this memory forever.
bool RecordingControl::StopWithPatience() {
  constexpr Nanos kPatience = 10 * kNanosPerSecond;
  const bool is_done =
      last_stop_.Run(kPatience, [this] { return needs_heap_.load(std::memory_order_acquire); });
  if (is_done) return true;
  WarnIncomplete(
      "its collector has ended, and the stop, which may wait for memory, has taken 10 s");
  return false;
}

void RecordingControl::WarnIncomplete(const char* reason) {
  const std::lock_guard lock(path_mutex_);
  Log::Warn("%s is not complete: the JVM is ending, and %s", path_.c_str(), reason);
}

// Waits for the end of the action in progress. Then stops the recording, if there is one.
void RecordingControl::StopIfRunning() {
  const JniScope jni(events_->vm());
  if (jni && state_.Begin(RecordingAction::kStop, RecordingState::kForever)) {
    LogAnswer(FinishStop());
  }
}

}  // namespace jprof
