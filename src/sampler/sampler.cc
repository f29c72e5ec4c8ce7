#include "sampler/sampler.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "answers/agent_answer.h"
#include "base/log.h"
#include "jvm/jvm_errors.h"
#include "libraries/loading_hook.h"
#include "sigsafe/base/check.h"

namespace jprof {

std::optional<Result<Engine::CommandAnswer>> Sampler::CarryOut(Engine::Command command,
                                                               JNIEnv* jni) const {
  for (const auto& engine : engines_) {
    if (auto answer = engine->CarryOut(command, jni)) return answer;
  }
  return std::nullopt;
}

// Inserts the probes of all engines into their classes. The program is stopped only once for this.
Status Sampler::InsertProbes() {
  JNIEnv* const jni = jvm_.events.CurrentJni();
  return jni == nullptr ? NotAttachedToJvm() : probes_.Run(jni);
}

void Sampler::RestoreClasses() {
  // The notes name the classes that could not be restored.
  if (JNIEnv* const jni = jvm_.events.CurrentJni()) static_cast<void>(probes_.Run(jni));
}

// A failed Dump is ignored: an engine can join or leave even if the chunk cannot be written, and
// the recorder will try again.
Status Sampler::Join(std::unique_ptr<Engine> engine) {
  participants_.Add(engine.get());
  static_cast<void>(recorder_->Dump());
  Status started = engine->Install();
  if (started) started = InsertProbes();
  if (started) started = engine->Start();
  if (!started) {
    StopEngine(std::move(engine));
    return started;
  }
  const std::lock_guard lock(engines_mutex_);
  engines_.push_back(std::move(engine));
  return {};
}

void Sampler::Leave(const Engine& engine) {
  std::unique_ptr<Engine> leaving;
  {
    const std::lock_guard lock(engines_mutex_);
    const auto found = std::ranges::find(engines_, &engine, &std::unique_ptr<Engine>::get);
    JPROF_CHECK(found != engines_.end());
    leaving = std::move(*found);
    engines_.erase(found);
  }
  StopEngine(std::move(leaving));
}

void Sampler::StopEngine(std::unique_ptr<Engine> engine) {
  const bool may_go = engine->Stop();
  RestoreClasses();
  participants_.Retire(engine.get());
  static_cast<void>(recorder_->Dump());
  participants_.Remove(engine.get());
  if (!may_go) LeakOnPurpose(std::move(engine));
}

// Leaks the engine, together with the parts of the sampler that the engine might still use. The
// ProbeRound is not leaked, because no callback of an engine uses the ProbeRound.
void Sampler::LeakOnPurpose(std::unique_ptr<Engine> engine) const {
  Log::Warn("a callback of the JVM has been inside an engine for seconds: it stays in memory");
  static auto* const kept =
      new std::vector<std::pair<std::unique_ptr<Engine>, std::shared_ptr<OffThreadSamples>>>;
  kept->emplace_back(std::move(engine), off_thread_);
}

// Stops everything of this sampler that runs in handlers. The engines are stopped, in the reverse
// order of their start, but not destroyed, because the recorder has not taken all samples yet.
// Called by Finish or, if Finish was not called, by the destructor.
void Sampler::StopSampling() {
  if (std::exchange(has_stopped_, true)) return;
  watcher_.reset();
  thread_times_.Stop();
  jvm_.observation.Unhook();
  LoadingHook::OfProcess().End();
  for (const bool is_last : {true, false}) {
    for (const auto& engine : std::views::reverse(engines_)) {
      if (engine->StartsLast() == is_last && !engine->Stop()) immortal_.push_back(engine.get());
    }
  }
  if (audit_) AuditReport::End();
  RestoreClasses();
  if (memory_ != nullptr) is_quiescent_ = memory_->Deactivate();
  method_ids_.End();
  walking_.reset();
  jvm_.observation.End();
  subscriptions_.clear();
}

const Result<RecordingSummary>& Sampler::Finish() {
  StopSampling();
  if (!finished_) finished_ = recorder_->Finish();
  return *finished_;
}

std::vector<std::string> Sampler::TakeNotes() {
  std::vector<std::string> notes;
  for (const auto& engine : engines_) AppendNotes(engine->TakeNotes(), notes);
  AppendNotes(probes_.TakeNotes(), notes);
  if (audit_) AppendNotes(AuditReport::TakeNotes(), notes);
  return notes;
}

std::vector<std::string> Sampler::Totals() const {
  std::vector<std::string> totals;
  for (const auto& engine : engines_) AppendNotes(engine->Totals(), totals);
  if (audit_) totals.push_back(AuditReport::Total());
  return totals;
}

RecordingSummary Sampler::Latest() const {
  RecordingSummary summary = recorder_->Latest();
  for (size_t kind = 0; kind < kSampleKindCount; ++kind) {
    summary.recorded[kind] += off_thread_->Later(static_cast<SampleKind>(kind));
  }
  return summary;
}

Sampler::~Sampler() {
  StopSampling();
  recorder_.reset();
  if (!is_quiescent_) {
    Log::Warn(
        "a thread has been inside our signal handler for seconds: the memory of this recording is "
        "kept until the JVM ends");
    SamplingMemory::Abandon(std::move(memory_));
  }
  for (auto& engine : engines_) {
    const bool is_immortal = std::ranges::count(immortal_, engine.get()) != 0;
    if (is_immortal) LeakOnPurpose(std::move(engine));
  }
  JNIEnv* const jni = jvm_.events.CurrentJni();
  JPROF_CHECK(jni != nullptr);
  jvm_.classes.Clear(jni);
}

}  // namespace jprof
