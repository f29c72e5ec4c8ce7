// ContextFields: the trace contexts of threads, as fields that are appended to the events of
// samples and spans.
//
// The fields are spanId and localRootSpanId (0 if there is none), traceId as hexadecimal text (null
// if there is none), and a text for each declared tag (null if the context has no such tag). Used
// on the recorder's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "jfr/writer/event_declarations.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// Lists which tags of trace contexts become fields. If a recording has a ContextPlan, each sample
// has the trace context of its thread.
struct ContextPlan {
  struct Tag {
    std::string name;
    uint8_t key;  // the tag's key in the context records
  };
  std::vector<Tag> tags;
};

class ContextFields {
 public:
  // If `plan` is nullopt, the object appends no fields. REQUIRES: `plan` and `traces` outlive the
  // object.
  ContextFields(const std::optional<ContextPlan>& plan, const CallTraceRotation& traces)
      : plan_(plan), traces_(traces) {}

  // True if the events of samples and spans already have a field of this name, so that no tag can
  // have the name.
  static bool IsTaken(std::string_view name);

  // Appends the fields to all declared sample and span events.
  void DeclareIn(EventDeclarations& declarations) const;

  // Returns the values of the fields for `context` (Sample::context), which was stored in the same
  // epoch as `trace`. The values are valid until the next call. REQUIRES: the samples of that epoch
  // belong to the open chunk.
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
