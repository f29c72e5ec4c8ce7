// SpanEngine: the spans of the program as events, by the scopes of jprof.ThreadContext.
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
