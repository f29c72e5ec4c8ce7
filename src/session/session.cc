#include "session/session.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "jvm/vm_flags.h"
#include "os/fork_watch.h"
#include "session/jni_scope.h"
#include "session/other_agent.h"
#include "session/session_report.h"
#include "session/session_status.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

constexpr char kCannotAttach[] = "cannot attach to the JVM: it is ending";

// In front: it came first.
void AddNotes(const std::vector<std::string>& notes, AgentAnswer& answer) {
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
}

}  // namespace

Status Session::Connect(JavaVM* vm) {
  // Before any lock: its owner may be a thread of the parent's.
  if (InForkedChild()) {
    return Error(
        "this process was forked from a JVM and runs no Java: give the command to the JVM itself");
  }
  const std::lock_guard lock(mutex_);
  if (events_ != nullptr) return {};
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

void Session::StartAtVmInit(Options options) { at_vm_init_ = std::move(options); }

Result<AgentAnswer> Session::Start(const Options& options,
                                   const std::function<bool()>& is_awaited) {
  JPROF_CHECK(events_ != nullptr);
  const JniScope jni(events_->vm());
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending; nothing was started");
  EndAbandoned();
  return StartWith(options, {jni.get(), is_awaited});
}

Result<AgentAnswer> Session::StartWith(const Options& options, const Starter& starter) {
  const Status begun = state_.Begin(SessionAction::kStart);
  if (!begun) return Refusal(begun).error();
  // Joined when this start is over: their bodies may be waiting for that.
  const StopTimers old_timers = std::exchange(timers_, {});
  Status set_up = Refusal({});
  const std::lock_guard lock(mutex_);
  if (set_up) set_up = SetUp(options, starter);
  state_.End(set_up ? SessionPhase::kRunning : SessionPhase::kIdle);
  if (!set_up) last_stop_.Cancel();
  if (!set_up) return Error("cannot start: " + set_up.error().message());
  const std::string& path = recording_->path();
  AgentAnswer answer{.text = StartLine(recording_->engines(), path), .file = path};
  answer.notes = recording_->TakeNotes();
  if (!notice_.empty()) answer.notes.push_back(std::exchange(notice_, std::string()));
  return answer;
}

// Says which recording it is about: ours, or that of another copy of the agent.
Status Session::Refusal(Status refused) {
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr) {
    if (refused) return refused;
    return Error(refused.error().message() + " to " + recording_->path() + " since " +
                 SinceText(recording_->start_time(), MonotonicNanos() - recording_->start_ns()) +
                 "; the command stop ends it");
  }
  const std::optional<std::string> other = OtherAgentAtWork();
  if (!other) return refused;
  return Error("another copy of the agent, " + *other +
               ", is recording in this JVM: give it the command, with jprof by --library " +
               *other);
}

Status Session::SetUp(const Options& options, const Starter& starter) {
  if (events_->is_ending()) return Error("the JVM is ending");
  needs_heap_.store(true, std::memory_order_release);
  if (const Status reserved = MemoryReserve::OfProcess().Prepare(); !reserved) return reserved;
  if (jvm_ == nullptr) {
    Result<JvmConnection*> jvm = JvmConnection::Make(*events_, starter.jni);
    if (!jvm) return jvm.error();
    jvm_ = jvm.value();
  }
  if (HasConcurrentCollector(jvm_->structs)) {
    const Result<Tid> prepared = last_stop_.Prepare(events_->vm());
    if (!prepared) return prepared.error();
    jvm_->registry.Ignore(prepared.value());
  } else {
    collector_serves_to_the_end_.store(true, std::memory_order_release);
  }
  const uint32_t number = ++sessions_;
  const auto stop = [this, number] { return StopByTimer(number); };
  // On the recorder's thread, which a stop waits for: the stop is another thread's.
  const auto stop_soon = [this, stop] { return timers_.StopSoon(jvm_->registry, stop); };
  Result<std::unique_ptr<RunningRecording>> recording =
      RunningRecording::Start(*jvm_, starter.jni, options, {number, stop_soon, starter.is_launch});
  if (!recording) return recording.error();
  recording_ = std::move(recording).value();
  {
    const std::lock_guard path_lock(path_mutex_);
    path_ = recording_->path();
  }
  std::optional<Nanos> deadline_ns;
  if (options.timeout_ns) deadline_ns = recording_->start_ns() + *options.timeout_ns;
  Status done = timers_.Begin(deadline_ns, recording_->lease(), jvm_->registry, stop);
  if (done) done = recording_->Begin();
  if (done && starter.is_awaited && !options.lease_file && !starter.is_awaited()) {
    done = Error("the caller has gone");
  }
  if (done) return done;
  timers_.Cancel();
  recording_.reset();
  return done;
}

Result<AgentAnswer> Session::Dump(const Options& options) {
  const Status begun = state_.Begin(SessionAction::kDump);
  if (!begun) return Refusal(begun).error();
  const Result<std::vector<std::string>> forced = ForceIfAsked(options);
  if (!forced) {
    state_.End(SessionPhase::kRunning);
    return forced.error();
  }
  const Result<RecordingSummary> written = recording_->WriteChunk();
  needs_heap_.store(false, std::memory_order_release);
  Result<AgentAnswer> answer = recording_->UpdateOutput(written);
  needs_heap_.store(true, std::memory_order_release);
  if (answer) AddNotes(forced.value(), answer.value());
  const std::string path = recording_->path();
  state_.End(SessionPhase::kRunning);
  if (answer) return answer;
  return Error("cannot dump to " + path + ": " + answer.error().message());
}

Result<AgentAnswer> Session::Stop(const Options& options) {
  const JniScope jni(events_->vm());
  if (!jni) return Error(kCannotAttach);
  const Status begun = state_.Begin(SessionAction::kStop);
  if (!begun) return Refusal(begun).error();
  const std::shared_ptr<const CallerLease>& lease = recording_->lease();
  if (options.lease_file && (lease == nullptr || lease->path() != *options.lease_file)) {
    const std::string path = recording_->path();
    state_.End(SessionPhase::kRunning);
    return Error("the recording was stopped by somebody else, who now records to " + path);
  }
  return StopBegun(options);
}

// What it cost, if anything was forced.
Result<std::vector<std::string>> Session::ForceIfAsked(const Options& options) {
  if (!options.force_collection) return std::vector<std::string>();
  const JniScope jni(events_->vm());
  if (!jni) return Error(kCannotAttach);
  const Result<std::string> cost = recording_->Force();
  if (!cost) return cost.error();
  return std::vector<std::string>{cost.value()};
}

// False: it could not be stopped, and is to be asked again.
bool Session::StopByTimer(uint32_t session) {
  const JniScope jni(events_->vm());
  if (!jni) {
    Log::Answer(Error(kCannotAttach));
    return state_.phase() == SessionPhase::kIdle;
  }
  if (!state_.Begin(SessionAction::kStop)) return true;
  if (sessions_ != session) {
    state_.End(SessionPhase::kRunning);
    return true;
  }
  Log::Answer(StopBegun());
  return state_.phase() == SessionPhase::kIdle;
}

// Ends a recording that lost its `jprof record` within this second: a new start need not wait.
void Session::EndAbandoned() {
  uint32_t session = 0;
  {
    const std::lock_guard lock(mutex_);
    if (recording_ == nullptr || recording_->lease() == nullptr) return;
    if (recording_->lease()->IsHeld()) return;
    session = sessions_;
  }
  StopByTimer(session);
}

// On a thread that was attached before the stop has begun: attaching may wait for memory.
Result<AgentAnswer> Session::StopBegun(const Options& options) {
  const std::lock_guard lock(mutex_);
  const Result<std::vector<std::string>> forced = ForceIfAsked(options);
  if (!forced) {
    state_.End(SessionPhase::kRunning);
    return forced.error();
  }
  // Its body may be waiting for this stop to end: it is joined by the next start. A stop that was
  // refused has left the timer as it was.
  timers_.Cancel();
  recording_->FinishSampling();
  needs_heap_.store(false, std::memory_order_release);
  Result<RunningRecording::Ended> ended = recording_->End();
  const std::string path = recording_->path();
  recording_.reset();
  if (ended) notice_ = ended.value().notice;
  state_.End(SessionPhase::kIdle);
  last_stop_.Cancel();
  if (ended) {
    AddNotes(forced.value(), ended.value().answer);
    return std::move(ended).value().answer;
  }
  return Error("stopped, but " + path + " is not complete: " + ended.error().message());
}

std::string Session::StatusLines() {
  SessionStatus status;
  status.phase = state_.phase();
  // While a start or a stop is under way the mutex is theirs.
  if (status.phase == SessionPhase::kStarting || status.phase == SessionPhase::kStopping) {
    return StatusText(status);
  }
  const std::lock_guard lock(mutex_);
  status.phase = state_.phase();
  if (status.phase == SessionPhase::kIdle) status.notice = notice_;
  if (recording_ == nullptr) return StatusText(status);
  status.recording = recording_->Describe();
  if (const std::optional<Nanos> deadline_ns = timers_.deadline_ns()) {
    status.recording->time_left_ns = std::max<Nanos>(*deadline_ns - MonotonicNanos(), 0);
  }
  return StatusText(status);
}

Result<AgentAnswer> Session::Methods() {
  const JniScope jni(events_->vm());
  if (!jni) return Error("cannot attach to the JVM: it is starting or ending");
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) return Error("nothing is being recorded");
  std::string table = recording_->MethodTable(jni.get());
  if (table.empty()) return Error("no method is being traced");
  return AgentAnswer{std::move(table)};
}

void Session::OnVMInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  if (!at_vm_init_) return;
  const Result<AgentAnswer> started = StartWith(*std::exchange(at_vm_init_, std::nullopt),
                                                {.jni = jni, .is_awaited = {}, .is_launch = true});
  if (started) {
    Log::Answer(started);
  } else {
    Log::ErrorLine("%s; the program runs unprofiled", started.error().message().c_str());
  }
}

// Where the JVM has refused the thread of the last stop, its own thread stops.
void Session::OnVMDeath(jvmtiEnv*, JNIEnv*) {
  if (state_.phase() == SessionPhase::kIdle) return;
  if (collector_serves_to_the_end_.load(std::memory_order_acquire) || StopWithPatience()) {
    StopIfRunning();
  }
}

// False: the stop still waits for memory, perhaps for ever.
bool Session::StopWithPatience() {
  constexpr Nanos kPatience = 10 * kNanosPerSecond;
  const bool is_done =
      last_stop_.Run(kPatience, [this] { return needs_heap_.load(std::memory_order_acquire); });
  if (is_done) return true;
  const std::lock_guard lock(path_mutex_);
  Log::Warn(
      "%s is not complete: the JVM is ending, its collector has ended, and the stop, which may "
      "wait for memory, has taken 10 s",
      path_.c_str());
  return false;
}

// A start or a dump that is under way ends first; a stop that came before has done it all.
void Session::StopIfRunning() {
  const JniScope jni(events_->vm());
  if (jni && state_.Begin(SessionAction::kStop)) Log::Answer(StopBegun());
}

}  // namespace jprof
