// ValidateEngine compares stacks with the truth that probes note: the stacks of JVMTI, of our
// walker and of AsyncGetCallTrace (docs/validation.md). It takes no samples; it writes the results
// at the end of each chunk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/engine.h"
#include "engines/method/probe_installer.h"
#include "engines/validate/cause_names.h"
#include "engines/validate/signal_checks.h"
#include "engines/validate/validation.h"
#include "jvm/jvm_events.h"
#include "options/options.h"

namespace jprof {

class ValidateEngine final : public Engine, private ProbeUser {
 public:
  // `recording` is the path of the recording. REQUIRES: options.validation.is_given(); the parts of
  // `context` outlive the engine.
  ValidateEngine(const EngineContext& context, const Options& options, std::string recording);
  ~ValidateEngine() override { Stop(); }

  Status Install() override;
  Status Start() override;
  bool StartsLast() const override { return true; }
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> TakeNotes() override;
  std::vector<std::string> Totals() const override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk& chunk) override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  // The time between two looks at the running threads.
  static constexpr Nanos kInterval = 200'000;

  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) override;
  bool WantsEachMethod() const override { return false; }
  void Note(const instrument::MethodReport& report) override;

  const EngineContext context_;
  const ValidationChoice choice_;
  const std::string text_;  // text of the patterns
  const std::string recording_;
  const int avoided_signal_;
  ProbeInstaller installer_;
  std::shared_ptr<Validation> validation_;  // nullptr before Install
  CauseNames cause_names_;
  JvmEvents::Subscription code_events_;
  std::unique_ptr<SignalChecks> signal_checks_;
};

}  // namespace jprof
