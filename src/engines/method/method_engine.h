// MethodEngine: counts and times calls to methods by probes in their code, and samples each slow
// call.
//
// Its numbers are exact, unlike those of other engines: only slow calls are samples, and the counts
// of all calls are written at the end of each chunk.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/method/call_report.h"
#include "engines/method/held_calls.h"
#include "engines/method/probe_class.h"
#include "engines/method/probe_installer.h"
#include "engines/method/traced_methods.h"

namespace jprof {

class MethodEngine final : public Engine, private ProbeUser {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  MethodEngine(const EngineContext& context, EngineRequest request,
               std::vector<MethodPattern> patterns);

  ~MethodEngine() override { Stop(); }

  Status Install() override;
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> TakeNotes() override;
  std::optional<Result<CommandAnswer>> CarryOut(Command command, JNIEnv* jni) override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk& chunk) override;
  std::optional<SampleKind> HeldKind() const override { return SampleKind::kMethod; }
  bool HoldBack(const ResolvedSample& resolved) override;
  void AfterSamples(OpenChunk& open) override { held_.Write(open); }
  void BeforeLastDrain(JNIEnv* jni) override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;
  uint64_t Forget() override { return held_.Forget(); }

 private:
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) override;
  void SetProbed(uint32_t number, bool is_probed) override;

  Status Begin(JNIEnv* jni);
  void ReadCounts(JNIEnv* jni);

  const EngineContext context_;
  const EngineRequest request_;
  const std::string text_;  // text of the patterns
  ProbeInstaller installer_;
  const ProbeClass* target_ = nullptr;  // set by Begin
  HeldCalls held_;                      // used on the recorder's thread
  std::mutex mutex_;                    // guards all below
  const ProbeClass* probes_ = nullptr;  // nullptr: no calls are counted
  std::vector<CountedMethod> rows_;     // counts of the last reading
  uint64_t uncounted_ = 0;
  bool is_summary_due_ = false;
};

}  // namespace jprof
