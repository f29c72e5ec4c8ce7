#include "engines/tick/tick_engine.h"

#include <utility>

#include "engines/tick/tick_sampling.h"
#include "recording/jfr/jfr_events.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// OpenJDK jdk-17+35 src/hotspot/share/runtime/threadHeapSampler.cpp, _sampling_interval.
constexpr int64_t kJvmDefaultInterval = 512 * 1024;

}  // namespace

Result<std::unique_ptr<Engine>> MakeTickEngine(const Options& options,
                                               const EngineContext& context) {
  return std::unique_ptr<Engine>(
      std::make_unique<TickEngine>(context, RequestOf(options, SampleKind::kTick)));
}

TickEngine::TickEngine(const EngineContext& context, EngineRequest request)
    : context_(context), request_(std::move(request)) {}

Status TickEngine::Start() {
  Result<JvmEvents::Subscription> subscription =
      context_.jvm_events.Subscribe(*this, {JVMTI_EVENT_SAMPLED_OBJECT_ALLOC});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  const Status begun = BeginSampling();
  if (!begun) Stop();
  return begun;
}

Status TickEngine::BeginSampling() {
  const int64_t interval = request_.samples.interval;
  if (interval == kFailingInterval) return Error("tick=1g asks for a start that fails");
  const Status set = SetJvmInterval(interval);
  if (!set) return set;
  Sampling().SetInterval(SampleKind::kTick, interval);
  is_ticking_.store(true, std::memory_order_relaxed);
  return {};
}

// The capability is one agent's alone: nobody else's interval is in force.
Status TickEngine::SetJvmInterval(int64_t bytes) const {
  const jvmtiError error =
      context_.jvm_events.jvmti()->SetHeapSamplingInterval(static_cast<jint>(bytes));
  if (error == JVMTI_ERROR_NONE) return {};
  return Error("the JVM refused SetHeapSamplingInterval (JVMTI error " + std::to_string(error) +
               ")");
}

bool TickEngine::Stop() {
  if (is_ticking_.exchange(false, std::memory_order_relaxed)) {
    static_cast<void>(SetJvmInterval(kJvmDefaultInterval));  // fails where the VM is dead
  }
  const bool may_go = subscription_.CancelAndWait();
  Sampling().SetInterval(SampleKind::kTick, 0);
  return may_go;
}

std::string TickEngine::Description() const {
  return "tick every " + std::to_string(request_.samples.interval) + " bytes";
}

void TickEngine::AddSettings(EventSettings& settings) const {
  AddRequest(request_, JfrType::kTick, settings);
  settings.Set(JfrType::kTick, "tick", std::to_string(request_.samples.interval));
}

void TickEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  writer.Append(Counter{now_ns, "ticks", ticks_.load(std::memory_order_relaxed)});
}

void TickEngine::OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jobject,
                                      jclass sampled, jlong object_bytes) {
  if (!is_ticking_.load(std::memory_order_relaxed)) return;
  const ErrnoSaver saver;
  ticks_.fetch_add(1, std::memory_order_relaxed);
  const TickPayload payload{static_cast<uint64_t>(object_bytes),
                            context_.classes.NumberOf(jvmti, jni, sampled)};
  TakeSample(TickSampling(TickWeight(object_bytes, request_.samples.interval), payload),
             CallingThread());
}

}  // namespace jprof
