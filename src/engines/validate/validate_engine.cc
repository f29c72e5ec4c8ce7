#include "engines/validate/validate_engine.h"

#include <map>
#include <utility>

#include "engines/method/retransformation.h"
#include "engines/validate/entry_checks.h"
#include "engines/validate/probe_choice.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/jvm_errors.h"

namespace jprof {
namespace {

// Returns an event with the fields that both types of events have.
template <typename Event>
Event EventOf(const ComparisonKey& key, Nanos time_ns) {
  Event event;
  event.time_ns = time_ns;
  event.layer = jprof::TextOf(key.layer);
  event.walker = jprof::TextOf(key.walker);
  event.tier = jprof::TextOf(key.tier);
  event.verdict = kVerdictNames[static_cast<size_t>(key.verdict)];
  return event;
}

StackValidation CountEvent(const ComparisonKey& key, uint64_t count, Nanos now_ns) {
  const auto verdict = static_cast<size_t>(key.verdict);
  StackValidation event = EventOf<StackValidation>(key, now_ns);
  event.cause = key.cause.name;
  event.is_wrong = key.layer != Layer::kLate && kVerdictClasses[verdict] == VerdictClass::kWrong;
  event.is_judged = kVerdictClasses[verdict] != VerdictClass::kNotJudged;
  event.stacks = count;
  return event;
}

// The event is valid as long as its arguments.
StackDifference ExampleEvent(const Difference& difference, const std::string& cause) {
  StackDifference event = EventOf<StackDifference>(difference.key, difference.time_ns);
  event.cause = cause;
  event.pc = difference.pc;
  event.instruction = difference.instruction;
  event.true_stack = difference.truth;
  event.walked_stack = difference.walked;
  return event;
}

}  // namespace

ValidateEngine::ValidateEngine(const EngineContext& context, const Options& options,
                               std::string recording)
    : context_(context),
      choice_(options.validation),
      text_(TextOf(options.validation.methods)),
      recording_(std::move(recording)),
      avoided_signal_(options.cpu_signal.value_or(0)),
      installer_(context.jvm_events, context.probes, *this, options.validation.methods),
      cause_names_(context.stubs) {}

Status ValidateEngine::Install() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const Status allowed = CheckNoArchiveIsRecorded(jni, context_.structs);
  if (!allowed) return allowed;
  const Result<const ShadowProbeClass*> probes =
      ShadowProbeClass::OfProcess(context_.jvm_events.jvmti(), jni);
  if (!probes) return probes.error();
  std::optional<AgctNoteFile> note;
  if (choice_.asgct) {
    Result<AgctNoteFile> created = AgctNoteFile::Create(recording_);
    if (!created) return created.error();
    note.emplace(std::move(created).value());
  }
  Result<std::shared_ptr<Validation>> validation =
      Validation::Make(context_.jvm_events.jvmti(), std::move(note));
  if (!validation) return validation.error();
  validation_ = std::move(validation).value();
  Result<JvmEvents::Subscription> code =
      context_.jvm_events.Subscribe(validation_->code, {JVMTI_EVENT_COMPILED_METHOD_LOAD});
  if (!code) return code.error();
  code_events_ = std::move(code).value();
  const Status generated = context_.jvm_events.GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  if (!generated) return generated;
  validation_->code.EndEarlier();
  SetTheValidation(validation_);
  const Status open = probes.value()->Open(jni, *validation_);
  return open ? installer_.Install() : open;
}

Status ValidateEngine::Start() {
  Result<std::unique_ptr<SignalChecks>> checks = SignalChecks::Start(
      context_.registry, context_.jvm_events.vm(), validation_, kInterval, avoided_signal_);
  if (!checks) return checks.error();
  signal_checks_ = std::move(checks).value();
  return {};
}

// Most classes of the program have probes. Where it takes minutes to take them out, they stay: a probe
// of an ended recording does nothing (ShadowProbes).
bool ValidateEngine::Stop() {
  if (signal_checks_ != nullptr) signal_checks_->Stop();
  const bool leaves_probes = RetransformsOneByOne(context_.jvm_events.jvmti());
  const bool may_go = leaves_probes ? installer_.LeaveProbes() : installer_.Remove();
  if (validation_ == nullptr) return may_go;
  validation_->RemoveNote();
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (TheValidation() == validation_) {
    SetTheValidation(nullptr);
    const Result<const ShadowProbeClass*> probes =
        jni == nullptr ? NotAttachedToJvm()
                       : ShadowProbeClass::OfProcess(context_.jvm_events.jvmti(), jni);
    if (probes) probes.value()->Close(jni);
  }
  return code_events_.CancelAndWait() && may_go;
}

instrument::ProbeTarget ValidateEngine::ProbedBy(bool) const {
  return {.class_name = ShadowProbeClass::kName};
}

std::optional<uint32_t> ValidateEngine::NumberFor(JNIEnv*, TracedMethod method) {
  if (!IsProbed(method, choice_.share)) return std::nullopt;
  return validation_->methods.Add(method);
}

void ValidateEngine::Note(const instrument::MethodReport& report) {
  validation_->methods.SetReport(report);
}

std::string ValidateEngine::Description() const {
  return "comparisons of stacks with probes in " + text_;
}

std::vector<std::string> ValidateEngine::TakeNotes() {
  static_cast<void>(installer_.TakeNotes());
  return {};
}

std::vector<std::string> ValidateEngine::Totals() const {
  if (validation_ == nullptr) return {};
  const ComparisonSums::Totals totals = validation_->sums.Sum();
  uint64_t judged = 0;
  uint64_t wrong = 0;
  for (size_t verdict = 0; verdict < kVerdictCount; ++verdict) {
    if (kVerdictClasses[verdict] != VerdictClass::kNotJudged) judged += totals.of_ours[verdict];
    if (kVerdictClasses[verdict] == VerdictClass::kWrong) wrong += totals.of_ours[verdict];
  }
  return {"validation: " + std::to_string(judged) + " stacks compared, " + std::to_string(wrong) +
          " wrong; " + std::to_string(validation_->methods.probed()) + " methods have probes, " +
          std::to_string(validation_->methods.unprobed()) + " cannot have them; " +
          std::to_string(totals.left_out) + " of " + std::to_string(totals.frames) +
          " walked frames are of methods without probes"};
}

void ValidateEngine::AddSettings(EventSettings& settings) const {
  settings.Enable(JfrType::kStackValidation);
  settings.Enable(JfrType::kStackDifference);
  settings.Set(JfrType::kStackValidation, "methods", text_);
  settings.Set(JfrType::kStackValidation, "share", std::to_string(choice_.share));
}

void ValidateEngine::BeforeSamples(OpenChunk& chunk) {
  if (chunk.jni == nullptr) return;
  installer_.ProbeUnannounced(chunk.jni, ProbeInstaller::Look::kIfDue);
}

void ValidateEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  if (validation_ == nullptr) return;
  const std::map<ComparisonKey, uint64_t> counts = validation_->sums.TakeCounts();
  const std::vector<Difference> examples = validation_->sums.TakeExamples();
  std::vector<uint64_t> pcs;
  for (const auto& [key, count] : counts) pcs.push_back(key.cause.pc);
  for (const Difference& example : examples) pcs.push_back(example.key.cause.pc);
  std::erase(pcs, 0);
  cause_names_.Resolve(pcs);
  // Several addresses are in code of the same name.
  std::map<ComparisonKey, uint64_t> named;
  for (const auto& [key, count] : counts) {
    ComparisonKey with_name = key;
    with_name.cause = {cause_names_.Of(key.cause)};
    named[with_name] += count;
  }
  for (const auto& [key, count] : named) writer.Append(CountEvent(key, count, now_ns));
  for (const Difference& example : examples) {
    const std::string cause = cause_names_.Of(example.key.cause);
    writer.Append(ExampleEvent(example, cause));
  }
}

}  // namespace jprof
