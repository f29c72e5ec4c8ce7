#include "recording/recorder.h"

#include <limits>
#include <utility>

#include "base/log.h"
#include "jvm/method_names.h"
#include "recording/chunk_samples.h"
#include "recording/native_names.h"
#include "recording/opening_events.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr Nanos kDrainInterval = 100'000'000;
constexpr uint32_t kAllEpochs = std::numeric_limits<uint32_t>::max();

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::Start(const RecorderContext& context,
                                                  RecordingPlan plan) {
  Result<StopEvent> stop = StopEvent::Create();
  if (!stop) return stop.error();
  ChunkClock clock = ChunkClock::Now();
  Result<std::unique_ptr<JfrWriter>> writer = JfrWriter::Open(plan.path, clock);
  if (!writer) return writer.error();
  std::unique_ptr<Recorder> recorder(
      new Recorder(context, std::move(plan), std::move(stop).value(), std::move(writer).value()));
  Recorder* raw = recorder.get();
  Result<NativeThread> thread = NativeThread::Start(kThreadName, [raw] { raw->Run(); });
  if (!thread) return thread.error();
  recorder->thread_ = std::move(thread).value();
  return recorder;
}

Recorder::Recorder(const RecorderContext& context, RecordingPlan plan, StopEvent stop,
                   std::unique_ptr<JfrWriter> writer)
    : context_(context),
      plan_(std::move(plan)),
      stop_(std::move(stop)),
      writer_(std::move(writer)) {}

Recorder::~Recorder() {
  discard_.store(true, std::memory_order_relaxed);
  stop_.Set();
  thread_.Join();
}

Result<RecordingSummary> Recorder::Finish() {
  stop_.Set();
  thread_.Join();
  if (!outcome_) return outcome_.error();
  return summary_;
}

void Recorder::Run() {
  context_.registry.Ignore(CurrentTid());
  JNIEnv* jni = nullptr;
  char name[] = "jprof recorder";
  JavaVMAttachArgs args{JNI_VERSION_1_6, name, nullptr};
  const jint code = context_.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), &args);
  if (code != JNI_OK) {
    outcome_ = Error("AttachCurrentThreadAsDaemon: JNI error " + std::to_string(code) +
                     "; nothing was recorded");
    mailbox_.ReportEnd(outcome_);
    return;
  }
  RecordUntilStopped(jni);
  mailbox_.ReportEnd(outcome_);
  context_.vm->DetachCurrentThread();
}

bool Recorder::IsDue(Nanos chunk_start_ns, Nanos now_ns) const {
  return now_ns - chunk_start_ns >= plan_.chunk_time_ns ||
         writer_->chunk_bytes() >= plan_.chunk_bytes || context_.traces.NearlyFull();
}

// Time that no handler accounts for goes to a thread's last stack, which may be of any epoch.
void Recorder::KeepLastStacks(LiveTraces& live) const {
  context_.outside.KeepLive(live);
  for (uint32_t i = 0; i < context_.records.HighWater(); ++i) {
    const ProfiledThread& thread = *context_.records.At(i);
    if (thread.tid.load(std::memory_order_acquire) == Tid{0}) continue;
    live.Keep(thread.cpu_trace.load(std::memory_order_relaxed));
    live.Keep(thread.wall_trace.load(std::memory_order_relaxed));
  }
}

void Recorder::RecordUntilStopped(JNIEnv* jni) {
  OpeningEvents opening = OpeningEvents::Gather(context_.jvmti, plan_);
  MethodNames methods(context_.jvmti, jni, context_.classes);
  NativeNames natives(context_.stubs);
  Nanos start_ns = MonotonicNanos();
  auto open_chunk = [&] {
    opening.Write(*writer_, plan_, start_ns);
    return std::make_unique<ChunkSamples>(context_, plan_, *writer_, methods, natives, summary_);
  };
  std::unique_ptr<ChunkSamples> chunk = open_chunk();
  context_.traces.RegisterLivenessChecker([this](LiveTraces& live) { KeepLastStacks(live); });
  bool stopped = false;
  while (!stopped && outcome_) {
    stopped = stop_.WaitUntil(MonotonicNanos() + kDrainInterval);
    if (discard_.load(std::memory_order_relaxed)) return;
    // Before the flip: what is sampled from now on may belong to the next chunk.
    const Nanos now_ns = MonotonicNanos();
    const bool seal_is_wanted = mailbox_.SealIsWanted();
    if (!stopped && !seal_is_wanted && !IsDue(start_ns, now_ns)) {
      chunk->Drain(kAllEpochs, now_ns);
      mailbox_.Publish(summary_);
      continue;
    }
    if (context_.sleepers != nullptr) context_.sleepers->CloseSpans();
    context_.traces.ProcessTraces([&](uint32_t last_epoch) { chunk->Drain(last_epoch, now_ns); },
                                  [&](const TraceRotation::Traces&) {
                                    chunk->Close();
                                    outcome_ = writer_->Seal(now_ns);
                                  });
    mailbox_.Publish(summary_);
    if (seal_is_wanted) mailbox_.ReportSeal(outcome_);
    if (stopped || !outcome_) continue;
    start_ns = now_ns;
    outcome_ = writer_->StartChunk(start_ns);
    if (outcome_) chunk = open_chunk();
  }
  summary_.unwritten_events = writer_->DroppedEvents();
  summary_.unloaded_methods = methods.unloaded();
}

}  // namespace jprof
