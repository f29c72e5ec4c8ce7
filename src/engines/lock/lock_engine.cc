#include "engines/lock/lock_engine.h"

#include <utility>

#include "base/duration_text.h"
#include "jvm/jvmti_ptr.h"
#include "recording/jfr/jfr_events.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {
namespace {

// A record for the calling thread, which takes the samples of unfinished waits: threads of the
// profiler have none, nor has a thread that has ended for the JVM, as the one that ends the JVM.
class RecordForNow {
 public:
  explicit RecordForNow(ThreadRecords& records)
      : records_(records),
        has_ended_(CurrentThreadHasEnded()),
        own_(records.FindForCurrentThread() == nullptr ? records.Claim(CurrentTid()) : nullptr) {
    if (own_ != nullptr) SetCurrentThread(own_);
  }
  ~RecordForNow() {
    if (own_ == nullptr) return;
    if (has_ended_) {
      EndCurrentThread();
    } else {
      SetCurrentThread(nullptr);
    }
    records_.Release(own_);
  }
  RecordForNow(const RecordForNow&) = delete;
  RecordForNow& operator=(const RecordForNow&) = delete;

 private:
  ThreadRecords& records_;
  const bool has_ended_;
  ProfiledThread* const own_;  // nullptr: it has one anyway, or there are no more
};

}  // namespace

Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context) {
  EngineRequest request = RequestOf(options, SampleKind::kLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<LockEngine>(context, std::move(request)));
}

LockEngine::LockEngine(const EngineContext& context, EngineRequest request)
    : context_(context),
      request_(std::move(request)),
      monitors_(context.jvm_events, context.classes, request_.samples.interval),
      parks_(context.jvm_events, context.classes, request_.samples.interval) {}

Status LockEngine::Start() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return Error("waits cannot be recorded: this thread is not attached to the JVM");
  }
  const Status begun = Begin(jni);
  if (!begun) Stop();
  return begun;
}

Status LockEngine::Begin(JNIEnv* jni) {
  const ThreadIds* const ids = ThreadIds::OfProcess(jni);
  if (ids == nullptr) {
    return Error("threads of this JVM have no ids, so waits cannot be told apart");
  }
  const std::lock_guard lock(mutex_);
  is_started_ = true;
  Sampling().SetInterval(SampleKind::kLock, request_.samples.interval);
  const Status started = parks_.Start(jni, *ids);
  return started ? monitors_.Start(jni, *ids) : started;
}

bool LockEngine::Stop() {
  const bool monitors_may_go = monitors_.Stop();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  const std::lock_guard lock(mutex_);
  if (jni == nullptr || !std::exchange(is_started_, false)) return monitors_may_go;
  const RecordForNow record(*GetThreadRecords());
  const LocalFrame frame(jni, 16);
  const std::vector<WaitingThread> waiting =
      WaitingThreads(context_.jvm_events.jvmti(), jni, *ThreadIds::OfProcess(jni));
  monitors_.RecordUnfinished(jni, waiting);
  const bool parks_may_go = parks_.Stop(jni, waiting, monitors_);
  Sampling().SetInterval(SampleKind::kLock, 0);
  return monitors_may_go && parks_may_go;
}

LockEngine::Sums LockEngine::Read(JNIEnv* jni) const {
  return {monitors_.SumsOf(WaitType::kMonitorEnter), monitors_.SumsOf(WaitType::kMonitorWait),
          parks_.Read(jni)};
}

std::string LockEngine::Description() const {
  return "waits for locks of " + DurationText(request_.samples.interval) + " and more";
}

std::vector<std::string> LockEngine::Totals() const {
  const std::lock_guard lock(mutex_);
  const Sums all = Read(context_.jvm_events.CurrentJni());
  std::vector<std::string> lines;
  const auto add = [](std::string& line, const char* words, uint64_t ns) {
    line.append(words).append(RoundedDurationText(static_cast<int64_t>(ns)));
  };
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = all[i];
    if (sums.waits == 0) continue;
    std::string line(kWaitNames[i]);
    line.append(": ").append(std::to_string(sums.waits));
    add(line, " waits of ", sums.total_ns);
    add(line, " in all, longest ", sums.longest_ns);
    line.append("; ").append(std::to_string(sums.short_waits));
    add(line, " of them, ", sums.short_ns);
    line.append(", shorter than ").append(DurationText(request_.samples.interval));
    lines.push_back(std::move(line));
  }
  if (lines.empty()) lines.emplace_back("no thread has waited for a lock");
  if (monitors_.uncounted() != 0) {
    lines.push_back("warning: " + std::to_string(monitors_.uncounted()) +
                    " waits are not counted: too many threads waited at a time");
  }
  return lines;
}

std::vector<std::string> LockEngine::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return parks_.TakeNotes();
}

// The last types have no events: `jfr view latencies-by-type` wants them declared.
void LockEngine::AddSettings(EventSettings& settings) const {
  for (const JfrType event :
       {JfrType::kJavaMonitorEnter, JfrType::kJavaMonitorWait, JfrType::kThreadPark}) {
    AddRequest(request_, event, settings);
    settings.Set(event, "threshold", DurationText(request_.samples.interval));
    settings.Set(event, "lock", std::to_string(request_.samples.interval));
  }
  settings.Enable(JfrType::kLockWait);
  for (const JfrType event : {JfrType::kThreadSleep, JfrType::kSocketRead, JfrType::kSocketWrite,
                              JfrType::kFileRead, JfrType::kFileWrite}) {
    settings.Set(event, "enabled", "false");
  }
}

void LockEngine::BeforeLastDrain(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  written_ = Read(jni);
}

// Of all waits since the start.
void LockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = written_[i];
    if (sums.waits == 0) continue;
    const struct {
      const char* name;
      uint64_t value;
    } counters[] = {{": waits", sums.waits},
                    {": ns", sums.total_ns},
                    {": ns, longest", sums.longest_ns},
                    {": waits below the threshold", sums.short_waits},
                    {": ns below the threshold", sums.short_ns}};
    for (const auto& counter : counters) {
      const std::string name = std::string(kWaitNames[i]) + counter.name;
      writer.Append(Counter{now_ns, name, counter.value});
    }
  }
}

}  // namespace jprof
