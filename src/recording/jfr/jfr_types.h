// JfrType: the type ids of our recordings, derived from jfr_types.def. A row of kJfrTypeTable is a
// type, or a field of the type above it. Everything is constexpr: any thread.
//
// Ids are dense from 2 in the order of the table; 0 and 1 are the format's own metadata and
// checkpoint events. All ids stay below 128, one byte in every event and pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace jprof {

enum class JfrType : uint32_t {
  kMetadata = 0,
  kCheckpoint = 1,
#define JFR_TYPE(Id, kind, name) k##Id,
#define JFR_INLINE(Id, name) k##Id,
#define JFR_EVENT(Id, name, label, category) k##Id,
#define JFR_FIELD(name, Type, storage, meaning, label)
#define JFR_MEMBER(member, name, Type, storage, meaning, label)
#define JFR_END()
#include "recording/jfr/jfr_types.def"
#undef JFR_TYPE
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_FIELD
#undef JFR_MEMBER
#undef JFR_END
};

enum class JfrKind : uint8_t {
  kPrimitive,          // known to every reader by name; String counts as one
  kSimple,             // pool type of one field, shown by readers as that field
  kStruct,             // pool or inline type
  kAnnotation,         // subclass of java.lang.annotation.Annotation
  kContentAnnotation,  // annotation that tells readers how to show a number
  kEvent,              // subclass of jdk.jfr.Event
  kField,              // not a type: a field of the last type above
};

enum class JfrStorage : uint8_t {
  kInline,
  kPool,   // the key of an entry in the constant pool of the field's type
  kArray,  // element count, then the elements inline
};

// The meaning of a field's value: the annotations that the metadata declares for the field.
enum class JfrMeaning : uint8_t {
  kNone,
  kTicks,        // a point in time, in ticks of the file
  kTickSpan,     // a duration in ticks
  kEpochMillis,  // a point in time, in milliseconds since 1970
  kMillis,       // a duration in milliseconds
  kNanoSpan,     // a duration in nanoseconds, which may be shorter than a tick
  kBytes,        // an amount of data
  kAddress,      // a memory address
  kPercentage,   // a share, 0 to 1
  kUnsigned,
};

struct JfrRow {
  JfrKind kind;
  JfrStorage storage;  // fields only
  JfrMeaning meaning;  // fields only
  JfrType type;        // the type itself, or the type of the field
  std::string_view name;
  std::string_view label;     // events and fields
  std::string_view category;  // events only; levels separated by '|'
};

inline constexpr JfrRow kJfrTypeTable[] = {
#define JFR_TYPE(Id, kind, name) \
  {JfrKind::kind, JfrStorage::kInline, JfrMeaning::kNone, JfrType::k##Id, name, {}, {}},
#define JFR_INLINE(Id, name) JFR_TYPE(Id, kStruct, name)
#define JFR_EVENT(Id, name, label, category) \
  {JfrKind::kEvent, JfrStorage::kInline, JfrMeaning::kNone, JfrType::k##Id, name, label, category},
#define JFR_FIELD(name, Type, storage, meaning, label) \
  {JfrKind::kField, JfrStorage::storage, JfrMeaning::meaning, JfrType::k##Type, name, label, {}},
#define JFR_MEMBER(member, name, Type, storage, meaning, label) \
  JFR_FIELD(name, Type, storage, meaning, label)
#define JFR_END()
#include "recording/jfr/jfr_types.def"
#undef JFR_TYPE
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_FIELD
#undef JFR_MEMBER
#undef JFR_END
};

constexpr uint32_t TypeId(JfrType type) { return static_cast<uint32_t>(type); }

inline constexpr uint32_t kJfrTypeIds = 128;  // more than any id

// The row that declares `type`. REQUIRES: a type of the table.
constexpr size_t RowNumber(JfrType type) {
  size_t row = 0;
  while (kJfrTypeTable[row].kind == JfrKind::kField || kJfrTypeTable[row].type != type) ++row;
  return row;
}

constexpr bool IsEvent(JfrType type) {
  return TypeId(type) > TypeId(JfrType::kCheckpoint) &&
         kJfrTypeTable[RowNumber(type)].kind == JfrKind::kEvent;
}

}  // namespace jprof
