#include "chunks/recorder.h"

#include <utility>

#include "base/agent_contract.h"
#include "base/memory_reserve.h"
#include "chunks/chunk_sequence.h"
#include "jvm/exit_watch.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr Nanos kDrainInterval = 100'000'000;
constexpr Nanos kAskAgainAfter = kNanosPerSecond;

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::Start(const RecorderContext& context,
                                                  RecordingPlan plan) {
  ChunkClock clock = ChunkClock::Now();
  Result<std::unique_ptr<JfrWriter>> writer = JfrWriter::Claim(plan.path, clock);
  if (!writer) return writer.error();
  std::unique_ptr<Recorder> recorder(
      new Recorder(context, std::move(plan), std::move(writer).value()));
  Result<StoppableThread> thread = StoppableThread::Start(
      kRecorderThreadName, [raw = recorder.get()](const StopEvent& stop) { raw->Run(stop); });
  if (!thread) return thread.error();
  recorder->thread_ = std::move(thread).value();
  const Status ready = recorder->mailbox_.AwaitReady();
  if (!ready) return ready.error();
  return recorder;
}

Recorder::~Recorder() {
  discard_.store(true, std::memory_order_relaxed);
  thread_.RequestStop();
  mailbox_.Refuse();
  thread_.Stop();
}

Result<RecordingSummary> Recorder::Finish() {
  thread_.Stop();
  if (!outcome_) return outcome_.error();
  return summary_;
}

void Recorder::Run(const StopEvent& stop) {
  context_.registry.Ignore(CurrentTid());
  JNIEnv* jni = nullptr;
  char name[] = "jprof recorder";
  JavaVMAttachArgs args{JNI_VERSION_1_6, name, nullptr};
  const jint code = context_.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), &args);
  if (code != JNI_OK) {
    outcome_ = Error("the JVM refused the recorder's thread (JNI error " + std::to_string(code) +
                     "); nothing was recorded");
    mailbox_.ReportEnd(outcome_);
    return;
  }
  RecordUntilStopped(stop, jni);
  mailbox_.ReportEnd(outcome_);
  if (MemoryIsShort()) RequestStopUntilAccepted(stop);
  context_.vm->DetachCurrentThread();
}

void Recorder::RecordUntilStopped(const StopEvent& stop, JNIEnv* jni) {
  ChunkSequence chunks(context_, plan_, std::move(writer_), jni, summary_);
  // The end of the first chunk, which has no samples. Samples that are taken from here on belong to
  // the second chunk.
  const Nanos ready_ns = MonotonicNanos();
  mailbox_.ReportReady();
  if (!mailbox_.AwaitPermission()) return;
  outcome_ = chunks.Begin(ready_ns);
  mailbox_.Publish(summary_);
  mailbox_.ReportBegin(outcome_);
  if (!outcome_) return;
  for (;;) {
    const bool stopped = stop.WaitUntil(MonotonicNanos() + kDrainInterval);
    if (discard_.load(std::memory_order_relaxed)) return;
    if (MemoryIsShort()) {
      outcome_ = OutOfMemory();
      return;
    }
    // The time is read before a rotation exchanges the tables of stacks: samples that are taken
    // after this time might belong to the next chunk.
    const Nanos now_ns = MonotonicNanos();
    if (!stopped && ExitWatch::Announced()) {
      if (!EndBeforeExit(chunks, now_ns, stop)) return;
      continue;
    }
    if (stopped) {
      chunks.End(now_ns);
      break;
    }
    if (mailbox_.SealIsWanted()) {
      chunks.Rotate(now_ns);
      mailbox_.Publish(summary_);
      mailbox_.ReportSeal(chunks.outcome());
      continue;
    }
    if (chunks.IsDue(now_ns)) {
      chunks.Rotate(now_ns);
    } else {
      chunks.Drain(now_ns);
    }
    mailbox_.Publish(summary_);
  }
  outcome_ = chunks.outcome();
}

// Ends the open chunk while the JVM waits for ExitWatch::Report. After Report, the process ends, or
// the JVM runs a command. In the second case, no thread of the agent enters the VM until the
// command has ended. Returns false if the recording has ended or is to be dropped, and true if the
// recording goes on.
bool Recorder::EndBeforeExit(ChunkSequence& chunks, Nanos now_ns, const StopEvent& stop) {
  chunks.End(now_ns);
  mailbox_.Publish(summary_);
  outcome_ = chunks.outcome();
  bool is_complete = false;
  bool is_end = false;
  do {
    const std::optional<uint32_t> announced = ExitWatch::Announced();
    if (!announced) continue;
    // The end of the JVM can be announced after a command.
    const bool is_end_now = ExitWatch::IsEnd();
    if (!is_complete || is_end_now != is_end) Complete(chunks, is_end_now);
    is_complete = true;
    is_end = is_end_now;
    ExitWatch::Report(*announced);
  } while (VmIsOutOfReach() && !stop.WaitUntil(MonotonicNanos() + kDrainInterval));
  if (discard_.load(std::memory_order_relaxed) || is_end) return false;
  chunks.Resume(now_ns);
  return true;
}

void Recorder::Complete(ChunkSequence& chunks, bool is_end) {
  if (is_end) chunks.ReleaseClaim();
  if (!plan_.before_exit) return;
  plan_.before_exit(outcome_ ? Result<RecordingSummary>(summary_) : outcome_.error(), is_end);
}

// Repeats the request to stop the recording until the request is accepted. A request is refused if
// no thread can be started for the stop.
void Recorder::RequestStopUntilAccepted(const StopEvent& stop) {
  while (plan_.stop_soon && !plan_.stop_soon()) {
    if (stop.WaitUntil(MonotonicNanos() + kAskAgainAfter)) return;
  }
}

}  // namespace jprof
