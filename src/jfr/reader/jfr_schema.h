// JfrSchema: the types of a chunk, from its metadata event: the reader's only source of layouts.
// Plain data once parsed: any thread.
//
// Texts are stored once, however many types and fields refer to them: a few bytes of a file may
// refer to a long text.
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

  // Whether the field is one reference to a constant of type `other`.
  bool IsReferenceTo(uint32_t other) const { return in_pool && !is_array && type == other; }
};

// A type as a recording declares it: of events, of constants or of structs in them.
struct RecordedType {
  uint64_t id = 0;
  std::string_view name;
  std::string_view label;
  std::vector<JfrField> fields;
  JfrPrimitive primitive = JfrPrimitive::kNone;
  bool is_event = false;
  bool is_readable =
      false;             // every value of it has an end, found in at most kMaxNesting steps down
  uint32_t varints = 0;  // of a struct that consists of this many varints

  // -1 if there is none.
  int IndexOf(std::string_view field) const;
};

class JfrSchema {
 public:
  static constexpr int kMaxNesting = 16;

  JfrSchema() = default;
  JfrSchema(JfrSchema&&) = default;
  JfrSchema& operator=(JfrSchema&&) = default;

  // `fields` is positioned after the size and the type id of the metadata event.
  static Result<JfrSchema> Parse(ByteCursor fields, JfrIntegers integers);

  const std::vector<RecordedType>& types() const { return types_; }
  const RecordedType& type(uint32_t index) const { return types_[index]; }

  // nullptr if there is none.
  const RecordedType* Named(std::string_view name) const;
  const RecordedType* WithId(uint64_t id) const {
    const uint32_t number = by_id_.Find(id);
    return number == 0 ? nullptr : &types_[number - 1];
  }
  uint32_t IndexOf(const RecordedType& type) const {
    return static_cast<uint32_t>(&type - types_.data());
  }

  // Moves the cursor past a value; the cursor fails if the value does not end within its bytes.
  // REQUIRES: the type is readable.
  void SkipFields(ByteCursor& cursor, const RecordedType& type) const;
  void SkipField(ByteCursor& cursor, const JfrField& field) const;

 private:
  friend class JfrSchemaParser;

  void SkipValue(ByteCursor& cursor, const RecordedType& type) const;

  std::vector<std::string> texts_;  // viewed by types and fields
  std::vector<RecordedType> types_;
  KeyMap by_id_;  // type id -> index + 1
};

}  // namespace jprof::profile
