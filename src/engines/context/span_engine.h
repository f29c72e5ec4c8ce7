// SpanEngine: records the spans of the program as samples without a stack. A span is a scope of
// jprof.ThreadContext that has been closed. Java calls the engine on the span's thread
// (ContextClass::RecordSpans).
#pragma once

#include <memory>
#include <string>

#include "engines/engine.h"

namespace jprof {

class SpanEngine final : public Engine {
 public:
  explicit SpanEngine(EngineRequest request) : request_(std::move(request)) {}

  ~SpanEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  std::string Description() const override;
  void AddSettings(EventSettings& settings) const override;

 private:
  const EngineRequest request_;
};

}  // namespace jprof
