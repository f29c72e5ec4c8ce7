// JfrType: the type ids of our recordings, derived from jfr_types.def. A type is a row of
// kJfrTypeTable, and the rows after that row are the fields of the type. Everything is constexpr
// and usable on any thread.
//
// Ids are consecutive from 2, in the order of the table; ids 0 and 1 belong to the format's own
// metadata and checkpoint events. All ids stay below 128, so that an id takes one byte in every
// event and pool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
#include "jfr/format/jfr_types.def"
#undef JFR_TYPE
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_FIELD
#undef JFR_MEMBER
#undef JFR_END
};

enum class JfrKind : uint8_t {
  kPrimitive,          // known to every reader by name; includes String
  kSimple,             // pool type of one field, shown by readers as that field
  kStruct,             // pool or inline type
  kAnnotation,         // subclass of java.lang.annotation.Annotation
  kContentAnnotation,  // annotation that tells readers how to show a number
  kEvent,              // subclass of jdk.jfr.Event
  kField,              // not a type, but a field of the nearest type above
};

enum class JfrStorage : uint8_t {
  kInline,
  kPool,   // the key of an entry in the constant pool of the field's type
  kArray,  // the element count, then the elements inline
};

// The meaning of a field's value. It determines the annotations that the metadata declares for the
// field.
enum class JfrMeaning : uint8_t {
  kNone,
  kTicks,         // a point in time, in ticks of the file
  kTickDuration,  // a duration in ticks
  kEpochMillis,   // a point in time, in milliseconds since 1970
  kMillis,        // a duration in milliseconds
  kNanoDuration,  // a duration in nanoseconds, which can be shorter than a tick
  kBytes,         // an amount of data
  kAddress,       // a memory address
  kPercentage,    // a share, 0 to 1
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

// The texts of all rows, one after another: three for each row. The table contains no pointers,
// because each pointer would need a relocation.
inline constexpr char kJfrTexts[] =
#define JFR_TYPE(Id, kind, name) name "\0\0\0"
#define JFR_INLINE(Id, name) name "\0\0\0"
#define JFR_EVENT(Id, name, label, category) name "\0" label "\0" category "\0"
#define JFR_FIELD(name, Type, storage, meaning, label) name "\0" label "\0\0"
#define JFR_MEMBER(member, name, Type, storage, meaning, label) name "\0" label "\0\0"
#define JFR_END()
#include "jfr/format/jfr_types.def"
#undef JFR_TYPE
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_FIELD
#undef JFR_MEMBER
#undef JFR_END
    ;

struct PackedJfrRow {
  JfrKind kind;
  JfrStorage storage;
  JfrMeaning meaning;
  uint8_t type;
  uint16_t texts = 0;  // offset of the row's texts in kJfrTexts
};

inline constexpr auto kPackedJfrRows = [] {
  auto rows = std::to_array<PackedJfrRow>({
#define JFR_ROW(kind, storage, meaning, Id) \
  {JfrKind::kind, JfrStorage::storage, JfrMeaning::meaning, static_cast<uint8_t>(JfrType::k##Id)},
#define JFR_TYPE(Id, kind, name) JFR_ROW(kind, kInline, kNone, Id)
#define JFR_INLINE(Id, name) JFR_ROW(kStruct, kInline, kNone, Id)
#define JFR_EVENT(Id, name, label, category) JFR_ROW(kEvent, kInline, kNone, Id)
#define JFR_FIELD(name, Type, storage, meaning, label) JFR_ROW(kField, storage, meaning, Type)
#define JFR_MEMBER(member, name, Type, storage, meaning, label) \
  JFR_ROW(kField, storage, meaning, Type)
#define JFR_END()
#include "jfr/format/jfr_types.def"
#undef JFR_ROW
#undef JFR_TYPE
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_FIELD
#undef JFR_MEMBER
#undef JFR_END
  });
  uint16_t text = 0;
  for (PackedJfrRow& row : rows) {
    row.texts = text;
    for (int ends = 0; ends < 3; ++text) ends += kJfrTexts[text] == '\0' ? 1 : 0;
  }
  return rows;
}();

// The rows of the table, as if they were in an array of JfrRow. Each access unpacks a row.
struct JfrTypeTable {
  class Iterator {
   public:
    constexpr explicit Iterator(size_t row) : row_(row) {}
    constexpr JfrRow operator*() const { return JfrTypeTable()[row_]; }
    constexpr Iterator& operator++() {
      ++row_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    size_t row_;
  };

  constexpr JfrRow operator[](size_t number) const {
    const PackedJfrRow& row = kPackedJfrRows[number];
    const std::string_view name = kJfrTexts + row.texts;
    const std::string_view label = name.data() + name.size() + 1;
    const std::string_view category = label.data() + label.size() + 1;
    return {row.kind, row.storage, row.meaning, static_cast<JfrType>(row.type),
            name,     label,       category};
  }
  static constexpr size_t size() { return kPackedJfrRows.size(); }
  static constexpr Iterator begin() { return Iterator(0); }
  static constexpr Iterator end() { return Iterator(size()); }
};
inline constexpr JfrTypeTable kJfrTypeTable;

constexpr uint32_t TypeId(JfrType type) { return static_cast<uint32_t>(type); }

inline constexpr uint32_t kJfrTypeIds = 128;  // greater than any id

// Returns the number of the row that declares `type`. REQUIRES: `type` is in the table.
constexpr size_t RowNumber(JfrType type) {
  size_t row = 0;
  while (kPackedJfrRows[row].kind == JfrKind::kField ||
         kPackedJfrRows[row].type != static_cast<uint8_t>(type)) {
    ++row;
  }
  return row;
}

// Returns the name of a type. The JDK's recordings use the same name if they have the type.
consteval std::string_view JfrName(JfrType type) { return kJfrTypeTable[RowNumber(type)].name; }

constexpr bool IsEvent(JfrType type) {
  return TypeId(type) > TypeId(JfrType::kCheckpoint) &&
         kPackedJfrRows[RowNumber(type)].kind == JfrKind::kEvent;
}

}  // namespace jprof
