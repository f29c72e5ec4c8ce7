// TickEngine: a sample of an object now and then as threads allocate, picked by the JVM (JEP 331,
// JDK 11). For tests: README.md.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engines/engine.h"
#include "engines/engine_request.h"

namespace jprof {

class TickEngine final : public Engine, private JvmEventListener {
 public:
  // The interval that requests a failing start, in bytes.
  static constexpr int64_t kFailingInterval = int64_t{1} << 30;

  // REQUIRES: the parts of `context` outlive the engine.
  TickEngine(const EngineContext& context, EngineRequest request);

  ~TickEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  std::string Description() const override;
  void AddSettings(EventSettings& settings) const override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  Status BeginSampling();
  Status SetJvmInterval(int64_t bytes) const;
  void OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jobject, jclass sampled,
                            jlong object_bytes) override;

  const EngineContext context_;
  const EngineRequest request_;
  JvmEvents::Subscription subscription_;
  // Whether the JVM samples by our interval. relaxed: a callback that sees an old value is early or
  // late.
  std::atomic<bool> is_ticking_{false};
  std::atomic<uint64_t> ticks_{0};  // relaxed: a plain counter
};

// For engines.def.
Result<std::unique_ptr<Engine>> MakeTickEngine(const Options& options,
                                               const EngineContext& context);
extern const SampleEvents kTickSampleEvents;

}  // namespace jprof
