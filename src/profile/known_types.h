// KnownTypes: the types that samples consist of, found in the schema of a chunk by their names. A
// field is read as a thread, a stack and so on only if it refers to that type: the name of a field
// alone is not trusted. Part of ReadSamples; plain value.
#pragma once

#include <cstdint>

#include "jfr/reader/jfr_schema.h"

namespace jprof::profile {

struct KnownTypes {
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  KnownTypes() = default;
  // The first type of each name counts.
  explicit KnownTypes(const JfrSchema& schema);

  // Indices into JfrSchema::types().
  uint32_t thread = kNone;
  uint32_t stack_trace = kNone;
  uint32_t stack_frame = kNone;
  uint32_t method = kNone;
  uint32_t class_type = kNone;
  uint32_t frame_type = kNone;
  uint32_t thread_state = kNone;
};

}  // namespace jprof::profile
