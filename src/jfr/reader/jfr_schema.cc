#include "jfr/reader/jfr_schema.h"

#include <utility>

#include "jfr/reader/jfr_schema_parser.h"
#include "jfr/reader/jfr_string.h"
#include "sigsafe/base/check.h"

namespace jprof::profile {

int RecordedType::IndexOf(std::string_view field) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

Result<JfrSchema> JfrSchema::Parse(ByteCursor fields, JfrIntegers integers) {
  return JfrSchemaParser(integers).Parse(fields);
}

const RecordedType* JfrSchema::Named(std::string_view name) const {
  for (const RecordedType& type : types_) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

void JfrSchema::SkipFields(ByteCursor& cursor, const RecordedType& type) const {
  JPROF_CHECK(type.is_readable);
  if (type.varints != 0) {
    cursor.SkipVarints(type.varints);
    return;
  }
  for (const JfrField& field : type.fields) {
    if (cursor.failed()) return;
    SkipField(cursor, field);
  }
}

void JfrSchema::SkipField(ByteCursor& cursor, const JfrField& field) const {
  const RecordedType& type = types_[field.type];
  uint64_t count = field.is_array ? cursor.Count() : 1;
  if (type.varints != 0 && !field.in_pool) {
    cursor.SkipVarints(count * type.varints);  // `count` is at most the number of bytes
    return;
  }
  for (; count != 0 && !cursor.failed(); --count) {
    if (field.in_pool) {
      cursor.Long();
    } else {
      SkipValue(cursor, type);
    }
  }
}

void JfrSchema::SkipValue(ByteCursor& cursor, const RecordedType& type) const {
  switch (type.primitive) {
    case JfrPrimitive::kNone:
      SkipFields(cursor, type);
      return;
    case JfrPrimitive::kBoolean:
    case JfrPrimitive::kByte:
      cursor.Byte();
      return;
    case JfrPrimitive::kChar:
    case JfrPrimitive::kShort:
      cursor.Short();
      return;
    case JfrPrimitive::kInt:
      cursor.Int();
      return;
    case JfrPrimitive::kLong:
      cursor.Long();
      return;
    case JfrPrimitive::kFloat:
      cursor.Bytes(4);
      return;
    case JfrPrimitive::kDouble:
      cursor.Bytes(8);
      return;
    case JfrPrimitive::kString:
      SkipJfrString(cursor);
      return;
  }
}

}  // namespace jprof::profile
