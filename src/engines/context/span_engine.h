// SpanEngine: records the spans of the program, which are the closed scopes of jprof.ThreadContext,
// as samples without a stack. Java calls it on the thread of the span (ContextClass::RecordSpans).
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
