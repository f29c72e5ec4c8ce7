// ContextFields: the trace contexts of threads, as fields that are appended to the events of
// samples and spans.
//
// The fields are spanId and localRootSpanId (0: none), traceId as hexadecimal text (null: none),
// and a text for each declared tag (null: the context has no such tag). Used on the recorder's
// thread.
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

// Trace contexts in samples: if a recording has this plan, samples have the contexts of their
// threads.
struct ContextPlan {
  struct Tag {
    std::string name;
    uint8_t key;  // the tag's key in the context records
  };
  std::vector<Tag> tags;  // the tags that become fields
};

class ContextFields {
 public:
  // Appends no fields without a plan. REQUIRES: `plan` and `traces` outlive the object.
  ContextFields(const std::optional<ContextPlan>& plan, const CallTraceRotation& traces)
      : plan_(plan), traces_(traces) {}

  // True if events of samples have a field of this name already.
  static bool IsTaken(std::string_view name);

  // Appends the fields to the declared events that are samples or spans.
  void DeclareIn(EventDeclarations& declarations) const;

  // Returns the values for `context` (Sample::context), which is stored with `trace`. Valid until
  // the next call. REQUIRES: the samples of the trace's epoch belong to the open chunk.
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
