// JfrSchema: the types of a chunk, read from its metadata event. The reader knows no layouts from
// any other source. Plain data once parsed, usable on any thread.
//
// A text is stored only once, however many types and fields refer to it. With a copy for each
// reference, a small file could take much memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_map.h"
#include "base/result.h"
#include "jfr/reader/byte_cursor.h"

namespace jprof::profile {

enum class JfrPrimitive : uint8_t {
  kNone,  // a struct
  kBoolean,
  kByte,
  kChar,
  kShort,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kString,
};

// The unit of a number, from the annotations of its field.
enum class JfrUnit : uint8_t {
  kNone,
  kTicks,        // a point in time
  kEpochMillis,  // a point in time
  kTickDuration,
  kNanos,
  kMicros,
  kMillis,
  kSeconds,
  kBytes,
  kAddress,
  kPercentage,
};

struct JfrField {
  std::string_view name;
  std::string_view label;
  uint32_t type = 0;  // index into JfrSchema::types()
  bool in_pool = false;
  bool is_array = false;
  JfrUnit unit = JfrUnit::kNone;
  bool is_unsigned = false;

  // True if the field is a single reference to a constant of type `other`.
  bool IsReferenceTo(uint32_t other) const { return in_pool && !is_array && type == other; }
};

// A type that a recording declares: the type of an event, of a constant, or of a struct inside one.
struct RecordedType {
  uint64_t id = 0;
  std::string_view name;
  std::string_view label;
  std::vector<JfrField> fields;
  JfrPrimitive primitive = JfrPrimitive::kNone;
  bool is_event = false;
  bool is_readable = false;  // its values can be skipped: they are nested at most kMaxNesting deep
  uint32_t varints = 0;      // number of varints of a struct that consists only of varints; else 0

  // Returns the index of the field in `fields`; -1 if there is none.
  int IndexOf(std::string_view field) const;
};

class JfrSchema {
 public:
  static constexpr int kMaxNesting = 16;

  JfrSchema() = default;
  JfrSchema(JfrSchema&&) = default;
  JfrSchema& operator=(JfrSchema&&) = default;

  // Parses a metadata event. `fields` is positioned after the size and the type id of the event.
  static Result<JfrSchema> Parse(ByteCursor fields, JfrIntegers integers);

  const std::vector<RecordedType>& types() const { return types_; }
  const RecordedType& type(uint32_t index) const { return types_[index]; }

  // Returns the first type of this name; nullptr if there is none.
  const RecordedType* Named(std::string_view name) const;
  const RecordedType* WithId(uint64_t id) const {
    const uint32_t number = by_id_.Find(id);
    return number == 0 ? nullptr : &types_[number - 1];
  }
  uint32_t IndexOf(const RecordedType& type) const {
    return static_cast<uint32_t>(&type - types_.data());
  }

  // SkipFields and SkipField move the cursor past the fields of a struct, or past one field. The
  // cursor fails if the fields do not end within the bytes of the cursor. REQUIRES: the type is
  // readable.
  void SkipFields(ByteCursor& cursor, const RecordedType& type) const;
  void SkipField(ByteCursor& cursor, const JfrField& field) const;

 private:
  friend class JfrSchemaParser;

  void SkipValue(ByteCursor& cursor, const RecordedType& type) const;

  std::vector<std::string> texts_;  // texts that types and fields view
  std::vector<RecordedType> types_;
  KeyMap by_id_;  // type id -> index, plus 1
};

}  // namespace jprof::profile
