// ContextFields: trace contexts as fields that are appended to the events of samples: spanId and
// localRootSpanId (0: none), traceId as hexadecimal text (null: none), and a text for each declared
// tag (null: the context has no such tag).
//
// The recorder's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recording/jfr/event_declarations.h"
#include "recording/recording_plan.h"
#include "sigsafe/sampling/sample.h"
#include "traces/trace_rotation.h"

namespace jprof {

class ContextFields {
 public:
  // Without a plan there are no fields. The plan outlives the object.
  explicit ContextFields(const std::optional<ContextPlan>& plan) : plan_(plan) {}

  // Whether events of samples have a field of this name anyway.
  static bool IsTaken(std::string_view name);

  // Appends the fields to the declared events that are samples.
  void DeclareIn(EventDeclarations& declarations) const;

  // Valid until the next call.
  std::span<const TrailingValue> ValuesOf(const Sample& sample, const TraceRotation& traces);

 private:
  void SetTags(const CallTrace& words);

  const std::optional<ContextPlan>& plan_;
  std::vector<TrailingValue> values_;
  std::string trace_id_;
  std::string tags_;
};

}  // namespace jprof
