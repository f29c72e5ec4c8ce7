// ExactEngine measures by probes how much time threads spend in chosen methods, so that the shares
// of the samples of the same recording can be compared with it (docs/validation.md). It takes no
// samples; it writes the times at the end of each chunk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/engine.h"
#include "engines/method/probe_installer.h"
#include "options/options.h"

namespace jprof {

class ExactEngine final : public Engine, private ProbeUser {
 public:
  // REQUIRES: options.validation.exact is not empty; the parts of `context` outlive the engine.
  ExactEngine(const EngineContext& context, const Options& options);
  ~ExactEngine() override { Stop(); }

  Status Install() override;
  // Begins to measure. Methods with calls that began before the probes came, and go on, are left
  // out.
  Status Start() override;
  // Returns true: the time that is measured lies within the time of the samples.
  bool StartsLast() const override { return true; }
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> TakeNotes() override { return installer_.TakeNotes(); }
  void AddSettings(EventSettings& settings) const override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) override;
  bool WantsEachMethod() const override { return false; }
  void SetProbed(uint32_t number, bool is_probed) override;

  const EngineContext context_;
  const std::string text_;  // text of the patterns
  const double share_;
  const bool has_cpu_samples_;
  ProbeInstaller installer_;
  bool is_open_ = false;  // true from Install to Stop: probes are measured
};

}  // namespace jprof
