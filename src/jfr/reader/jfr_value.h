// JfrChunk, JfrValue, JfrEvent: access to events and constants by field name. For infrequent
// events; samples have a faster way (sample_plan.h).
//
// Views of JfrReader's data: valid during the visitor's call that received them. One thread.
// Nothing here fails: missing or damaged data reads as 0, the empty string, or no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jfr/reader/byte_cursor.h"
#include "jfr/reader/jfr_chunk_header.h"
#include "jfr/reader/jfr_constants.h"
#include "jfr/reader/jfr_schema.h"

namespace jprof::profile {

struct JfrChunk {
  JfrChunkHeader header;
  JfrSchema schema;
  JfrConstants constants;
  int number = 0;  // counted from 0 over the file
};

class JfrValue {
 public:
  JfrValue() = default;  // no value

  explicit operator bool() const { return chunk_ != nullptr; }
  const JfrField& field() const { return *field_; }

  int64_t Long() const;
  double Double() const;

  // The text of a string, or of a constant with one field, such as a symbol or a thread state.
  std::string String() const;
  // The same, but a text that stands in the event itself is not cut.
  std::string WholeString() const;

  // The key, if the value is a reference.
  std::optional<uint64_t> Key() const;

  // A point in time as nanoseconds since 1970, a duration as nanoseconds, by the field's unit.
  int64_t Nanos() const;

  // A field of a struct, stored inline or in a pool.
  JfrValue Field(std::string_view name) const;

  // For arrays; 0 and no value otherwise. Element i costs i steps.
  uint64_t ElementCount() const;
  JfrValue Element(uint64_t index) const;

 private:
  friend class JfrEvent;
  friend class JfrConstant;

  JfrValue(const JfrChunk& chunk, const JfrField& field, ByteCursor at)
      : chunk_(&chunk), field_(&field), at_(at), is_array_(field.is_array) {}

  const RecordedType& type() const { return chunk_->schema.type(field_->type); }
  // A cursor at the fields of the struct; nullopt if the value is no struct.
  std::optional<ByteCursor> Struct() const;
  std::string StringIn(ByteCursor at, const RecordedType& type, int hops) const;
  static JfrValue FieldOf(const JfrChunk& chunk, const RecordedType& type, ByteCursor at,
                          std::string_view name);

  const JfrChunk* chunk_ = nullptr;
  const JfrField* field_ = nullptr;
  ByteCursor at_;
  bool is_array_ = false;
};

// A constant, by type and key.
class JfrConstant {
 public:
  JfrConstant(const JfrChunk& chunk, uint32_t type, uint64_t key)
      : chunk_(chunk), type_(type), at_(chunk.constants.Find(type, key)) {}

  explicit operator bool() const { return at_.has_value(); }
  JfrValue Field(std::string_view name) const;
  // The text of a constant with one field.
  std::string String() const;

 private:
  const JfrChunk& chunk_;
  const uint32_t type_;
  const std::optional<ByteCursor> at_;
};

class JfrEvent {
 public:
  JfrEvent(const JfrChunk& chunk, const RecordedType& type, ByteCursor fields)
      : chunk_(&chunk), type_(&type), fields_(fields) {}

  const JfrChunk& chunk() const { return *chunk_; }
  const RecordedType& type() const { return *type_; }
  ByteCursor fields() const { return fields_; }
  JfrValue Field(std::string_view name) const;

  // visit(field, value), for every field in order, in one walk: by name, each is a walk of its own.
  // Ends where the event is damaged.
  template <class Visit>
  void ForEachField(const Visit& visit) const {
    if (!type_->is_readable) return;
    ByteCursor at = fields_;
    for (const JfrField& field : type_->fields) {
      if (at.failed()) return;
      visit(field, JfrValue(*chunk_, field, at));
      chunk_->schema.SkipField(at, field);
    }
  }

 private:
  const JfrChunk* chunk_;
  const RecordedType* type_;
  ByteCursor fields_;
};

}  // namespace jprof::profile
