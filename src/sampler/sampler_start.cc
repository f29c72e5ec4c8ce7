// The start of a sampler: its parts, in the order in which they are started.

#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "chunks/context_fields.h"
#include "engines/context/context_class.h"
#include "engines/context/tag_names.h"
#include "engines/lock/lock_engine.h"
#include "engines/method/window_engine.h"
#include "engines/validate/exact_engine.h"
#include "engines/validate/validate_engine.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "libraries/loading_hook.h"
#include "sampler/engine_table.h"
#include "sampler/sampler.h"
#include "sampler/watcher_choice.h"
#include "sigsafe/base/check.h"
#include "sigsafe/sampling/sampling_state.h"
#include "unwind/unwind_publisher.h"
#include "walking/walk_environments.h"

namespace jprof {
namespace {

SwitchSource JvmProperty(jvmtiEnv* jvmti) {
  return [jvmti](const char* name) -> std::optional<std::string> {
    JvmtiPtr<char> value(jvmti);
    if (jvmti->GetSystemProperty(name, value.out()) != JVMTI_ERROR_NONE) return std::nullopt;
    return std::string(value.get());
  };
}

std::optional<std::string> EnvironmentVariable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Returns the text of RecordingPlan::virtual_threads.
std::string SamplesOfVirtualThreads(const HotspotReading& hotspot) {
  const Status& known = hotspot.virtual_threads;
  if (!known) return "sampled as their carriers: " + known.error().message();
  return hotspot.layout.finds_virtual_threads() ? "sampled as themselves" : "";
}

// Returns the plan for the tags of samples; nullopt without the option `context`. A tag has the
// same key in all recordings of the process.
Result<std::optional<ContextPlan>> ContextPlanOf(const Options& options) {
  if (!options.context) return std::optional<ContextPlan>();
  ContextPlan plan;
  for (const std::string& name : options.attributes) {
    if (ContextFields::IsTaken(name)) {
      return Error("attributes: samples have a field '" + name + "' of another meaning");
    }
    const auto key = TagNames::OfProcess().KeyOf(name);
    if (!key) {
      return Error("the program has set tags of 255 names already: none is left for '" + name +
                   "'");
    }
    plan.tags.push_back({name, *key});
  }
  return std::optional(std::move(plan));
}

StackMode ModeOf(StackWalker walker) {
  switch (walker) {
    case StackWalker::kVm:
      return StackMode::kVm;
    case StackWalker::kVmx:
      return StackMode::kVmx;
    case StackWalker::kFp:
      return StackMode::kFp;
    case StackWalker::kNo:
      return StackMode::kNo;
    case StackWalker::kAgct:
      break;
  }
  return StackMode::kAgct;
}

void SetStackMode(StackMode mode) {
  ChangeWalkEnvironment([mode](WalkEnvironment& next) { next.mode = mode; });
}

// Sets up the stack walker of a recording, by the option cstack=: sets the stack mode, and begins a
// use of VmCursor if the mode needs VmCursor. Returns nullopt if AsyncGetCallTrace will walk the
// stacks: because this was requested or, after a warning, because VmCursor cannot work in this JVM.
// REQUIRES: no sampler is running.
std::optional<Walking::Use> ChooseWalker(StackWalker walker, JvmConnection& jvm) {
  JPROF_CHECK(!Sampling().traces.active());
  SetStackMode(ModeOf(walker));
  if (walker == StackWalker::kAgct) return std::nullopt;
  Result<Walking::Use> use = jvm.walking.Begin();
  if (use) {
    if (const auto thread = jvm.walking.tables_thread()) jvm.registry.Ignore(*thread);
    return std::move(use).value();
  }
  SetStackMode(StackMode::kAgct);
  Log::Warn("stacks are walked by AsyncGetCallTrace: %s", use.error().message().c_str());
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Sampler>> Sampler::Start(JvmConnection& jvm, JNIEnv* jni,
                                                const Options& options, Beginning beginning) {
  std::unique_ptr<Sampler> sampler(new Sampler(jvm));
  const Status done = sampler->SetUp(options, jni, std::move(beginning));
  if (!done) return done.error();
  return sampler;
}

Status Sampler::SetUp(const Options& options, JNIEnv* jni, Beginning beginning) {
  Status done = MakeEngines(options, beginning.files.path);
  if (done) done = StartRecorder(options, std::move(beginning));
  if (done && options.context) done = ContextClass::Connect(jvm_.events, jni);
  if (done && options.context_export) ContextClass::Export(jvm_.events, jni);
  if (done) done = ObserveJvm(options, jni);
  if (done) StartAudit(options);
  if (done) done = StartEngines(options);
  return done ? StartWatcher(options) : done;
}

void Sampler::StartAudit(const Options& options) {
  if (options.audit_share == 0) return;
  audit_.emplace(options.audit_share);
  participants_.Add(&*audit_);
  audit_->Begin();
}

Status Sampler::MakeEngines(const Options& options, const std::string& recording) {
  // The window engine comes first, because it limits what the other engines record, from their
  // start to their end.
  if (options.window.are_given()) {
    engines_.push_back(std::make_unique<WindowEngine>(context(), options));
    participants_.Add(engines_.back().get());
  }
  for (const SampleKindRow& row : kSampleKinds) {
    if (!options.samples[row.kind].enabled()) continue;
    Result<std::unique_ptr<Engine>> engine = MakeEngine(row.kind, options, context());
    if (!engine) return engine.error();
    participants_.Add(engine.value().get());
    engines_.push_back(std::move(engine).value());
  }
  if (options.validation.is_given()) {
    engines_.push_back(std::make_unique<ValidateEngine>(context(), options, recording));
    participants_.Add(engines_.back().get());
  }
  if (!options.validation.exact.empty()) {
    engines_.push_back(std::make_unique<ExactEngine>(context(), options));
    participants_.Add(engines_.back().get());
  }
  // No signal reaches a virtual thread that waits, so `wall` needs a second engine.
  if (std::unique_ptr<Engine> engine = MakeVirtualWaitEngine(options, context())) {
    participants_.Add(engine.get());
    engines_.push_back(std::move(engine));
  }
  return {};
}

Status Sampler::StartRecorder(const Options& options, Beginning beginning) {
  Result<std::unique_ptr<SamplingMemory>> memory =
      SamplingMemory::Reserve({beginning.run, static_cast<uint32_t>(options.max_depth),
                               static_cast<uint32_t>(options.root_depth),
                               static_cast<size_t>(options.memory_bytes), options.priming},
                              jvm_.slot_reserve.slots());
  if (!memory) return memory.error();
  memory_ = std::move(memory).value();
  jvm_.slot_reserve.KeepAhead();
  jvm_.registry.Begin(options.filter);
  jvm_.registry.Ignore(memory_->traces().memory_thread());

  Result<std::optional<ContextPlan>> context = ContextPlanOf(options);
  if (!context) return context.error();
  RecordingPlan plan = std::move(beginning.files);
  plan.context = std::move(context).value();
  plan.chunk_time_ns = options.chunk_time_ns;
  plan.chunk_bytes = options.chunk_bytes;
  plan.vm = &jvm_.structs.statics;
  plan.virtual_threads = SamplesOfVirtualThreads(jvm_.hotspot);
  plan.file_time_ns = options.loop_ns.value_or(0);
  plan.max_age_ns = options.max_age_ns.value_or(0);
  plan.max_bytes = options.max_bytes.value_or(0);
  Result<std::unique_ptr<Recorder>> recorder = Recorder::Start(
      {jvm_.events.vm(), jvm_.events.jvmti(), memory_->traces(), memory_->samples(), *off_thread_,
       jvm_.slot_reserve.slots(), jvm_.registry, jvm_.java_threads, jvm_.classes,
       jvm_.sampled_classes, memory_->sample_pages(), memory_->names(), jvm_.gc_pauses, jvm_.stubs,
       participants_, SampleEventsOfEngines(), &jvm_.heap, jvm_.hotspot.layout.unsigned5_bias},
      std::move(plan));
  if (!recorder) return recorder.error();
  recorder_ = std::move(recorder).value();
  return {};
}

Status Sampler::Subscribe(JvmEventListener& listener, std::initializer_list<jvmtiEvent> events) {
  Result<JvmEvents::Subscription> subscription = jvm_.events.Subscribe(listener, events);
  if (!subscription) return subscription.error();
  subscriptions_.push_back(std::move(subscription).value());
  return {};
}

// Makes the compilers record debug information between safepoints, so that inlined frames and lines
// are right (docs/adr/0027). The event CompiledMethodLoad has the same effect, unless the user has
// chosen the flag's value; but the VM then makes records and jmethodIDs for each compiled method.
Status Sampler::RecordDebugInformation() {
  debug_information_ = RaisedFlag::Raise(jvm_.structs, "DebugNonSafepoints");
  if (debug_information_) return {};
  return Subscribe(jvm_.frames, {JVMTI_EVENT_COMPILED_METHOD_LOAD});
}

// Subscribes to events, and then lists the code that exists already, so that none is missed.
Status Sampler::ObserveJvm(const Options& options, JNIEnv* jni) {
  walking_ = ChooseWalker(options.walker, jvm_);
  LoadingHook& loading = LoadingHook::OfProcess();
  loading.Begin({.before_load = &UnwindPublisher::RequestCheck,
                 .after_unload = &UnwindPublisher::RemoveUnloaded});
  Status done = Subscribe(loading, {JVMTI_EVENT_NATIVE_METHOD_BIND});
  if (done) done = RecordDebugInformation();
  if (done) {
    done = Subscribe(jvm_.gc_pauses,
                     {JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH});
  }
  if (done) done = Subscribe(jvm_.stubs, {JVMTI_EVENT_DYNAMIC_CODE_GENERATED});
  if (done) done = jvm_.events.GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  if (done && (!walking_ || options.validation.asgct)) done = method_ids_.Begin(jni);
  participants_.Add(&method_ids_);
  return done ? jvm_.observation.Begin(jvm_.events, jni, options.priming) : done;
}

// Starts the engines. The probes come first, because they take time. Then the engines that start last (Engine::StartsLast) and thread_times_ start directly one after another,
// so that they cover the same time.
Status Sampler::StartEngines(const Options& options) {
  memory_->Activate();
  Status started;
  for (const auto& engine : engines_) {
    if (started) started = engine->Install();
  }
  if (started) started = InsertProbes();
  for (const bool is_last : {false, true}) {
    for (const auto& engine : engines_) {
      if (started && engine->StartsLast() == is_last) started = engine->Start();
    }
  }
  if (!started) return started;
  // The view `states` also needs the exact times of threads, which wall and lock alone do not
  // provide.
  if (!options.samples[SampleKind::kWall].enabled() &&
      !options.samples[SampleKind::kLock].enabled()) {
    return {};
  }
  participants_.Add(&thread_times_);
  thread_times_.Start();
  return {};
}

Status Sampler::StartWatcher(const Options& options) {
  if (!options.priming.Has(PrimingPath::kWatcher)) return {};
  const SwitchSource property = JvmProperty(jvm_.events.jvmti());
  if (!WantsTaskWatcher(options.task_watcher, property, EnvironmentVariable)) return {};
  Result<std::unique_ptr<TaskWatcher>> watcher =
      TaskWatcher::Start(jvm_.registry, &jvm_.slot_reserve, jvm_.observation.hook(), [this] {
        LoadingHook::OfProcess().CoverNewLibraries();
        const std::lock_guard lock(engines_mutex_);
        for (const auto& engine : engines_) engine->InspectThreads();
      });
  if (!watcher) return watcher.error();
  watcher_ = std::move(watcher).value();
  return {};
}

}  // namespace jprof
