// JfrChunk, JfrValue, JfrConstant, JfrEvent: access to events and constants by field name, for
// infrequent events. For samples there is a faster way (profile/sample_plan.h).
//
// The objects view data of ReadJfr: a JfrChunk is valid until EndChunk has returned, and a JfrEvent
// until OnEvent has returned. A JfrValue or JfrConstant is valid as long as the chunk or event from
// which it was made. Not thread-safe. Nothing here fails: missing or damaged data reads as 0, an
// empty string, or no value.
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

  // Returns the text of a string, or of a constant with one field, such as a symbol or a thread
  // state.
  std::string String() const;
  // Like String, but does not cut a text that is in the event itself.
  std::string WholeString() const;

  // Returns the key if the value is a reference.
  std::optional<uint64_t> Key() const;

  // If the unit of the field is that of a point in time, returns nanoseconds since 1970. If it is
  // that of a duration, returns nanoseconds. Numbers in other units are returned unchanged.
  int64_t Nanos() const;

  // Returns a field of a struct that is stored inline or in a pool.
  JfrValue Field(std::string_view name) const;

  // ElementCount and Element access arrays: other values have 0 elements. Element(i) takes i steps.
  uint64_t ElementCount() const;
  JfrValue Element(uint64_t index) const;

 private:
  friend class JfrEvent;
  friend class JfrConstant;

  JfrValue(const JfrChunk& chunk, const JfrField& field, ByteCursor at)
      : chunk_(&chunk), field_(&field), at_(at), is_array_(field.is_array) {}

  const RecordedType& type() const { return chunk_->schema.type(field_->type); }
  // Returns a cursor at the fields of the struct; nullopt if the value is not a struct.
  std::optional<ByteCursor> Struct() const;
  std::string StringIn(ByteCursor at, const RecordedType& type, int hops) const;
  static JfrValue FieldOf(const JfrChunk& chunk, const RecordedType& type, ByteCursor at,
                          std::string_view name);

  const JfrChunk* chunk_ = nullptr;
  const JfrField* field_ = nullptr;
  ByteCursor at_;
  bool is_array_ = false;
};

// A constant that is found by its type and key.
class JfrConstant {
 public:
  JfrConstant(const JfrChunk& chunk, uint32_t type, uint64_t key)
      : chunk_(chunk), type_(type), at_(chunk.constants.Find(type, key)) {}

  explicit operator bool() const { return at_.has_value(); }
  JfrValue Field(std::string_view name) const;
  // Returns the text of a string constant, or of the only field of another constant. Returns an
  // empty text if the constant has no field or several fields.
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

  // Calls visit(field, value) for every field in order, and stops where the event is damaged. Reads
  // through the event only once; each call to Field would read through it again.
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
