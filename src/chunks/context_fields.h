// ContextFields: trace contexts as fields that are appended to the events of samples and spans:
// spanId and localRootSpanId (0: none), traceId as hexadecimal text (null: none), and a text for
// each declared tag (null: the context has no such tag).
//
// The recorder's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "chunks/recording_plan.h"
#include "jfr/writer/event_declarations.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

class ContextFields {
 public:
  // Without a plan there are no fields. Plan and traces outlive the object.
  ContextFields(const std::optional<ContextPlan>& plan, const CallTraceRotation& traces)
      : plan_(plan), traces_(traces) {}

  // Whether events of samples have a field of this name anyway.
  static bool IsTaken(std::string_view name);

  // Appends the fields to the declared events that are samples or spans.
  void DeclareIn(EventDeclarations& declarations) const;

  // Of Sample::context, stored with `trace`. Valid until the next call. REQUIRES: the samples of
  // the trace's epoch are of the open chunk.
  std::span<const TrailingValue> ValuesOf(CallTraceId trace, uint32_t context);

 private:
  void SetTags(const CallTrace& words);

  const std::optional<ContextPlan>& plan_;
  const CallTraceRotation& traces_;
  std::vector<TrailingValue> values_;
  std::string trace_id_;
  std::string tags_;
};

}  // namespace jprof
