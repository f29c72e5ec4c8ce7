// The events of our recordings as plain structs, and the functions that write them, generated from
// jfr_types.def. Each JFR_EVENT block becomes a struct. Each row of the block becomes a member, and
// determines the C++ type (InitialValue) and the encoding (WriteField) of that member.
//
// Times are CLOCK_MONOTONIC nanoseconds; keys come from ConstantPools (0: none); strings are UTF-8,
// and a string without data (std::string_view{}) is written as null. A string needs to live only
// until JfrWriter::Append returns. The structs are plain values; the recorder's thread writes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/constants.h"

namespace jprof {

// InlineStruct<kType>::Struct is the C++ struct for the type kType, whose values lie inside events.
template <JfrType kType>
struct InlineStruct;

// Returns the initial value of a member. The type of this value is the type of the member.
template <JfrType kType, JfrStorage kStorage, JfrMeaning kMeaning>
consteval auto InitialValue() {
  static_assert(kStorage != JfrStorage::kArray, "no event of ours has an array");
  if constexpr (kStorage == JfrStorage::kPool) {
    if constexpr (kType == JfrType::kThreadState) {
      return ThreadState::kDefault;
    } else if constexpr (kType == JfrType::kGCWhen) {
      return GCWhen::kBefore;
    } else {
      return uint32_t{0};
    }
  } else if constexpr (kType == JfrType::kLong) {
    constexpr bool kIsUnsigned = kMeaning == JfrMeaning::kUnsigned ||
                                 kMeaning == JfrMeaning::kAddress || kMeaning == JfrMeaning::kBytes;
    if constexpr (kIsUnsigned) {
      return uint64_t{0};
    } else {
      return int64_t{0};
    }
  } else if constexpr (kType == JfrType::kInt) {
    return uint32_t{0};
  } else if constexpr (kType == JfrType::kFloat) {
    return 0.0f;
  } else if constexpr (kType == JfrType::kDouble) {
    return 0.0;
  } else if constexpr (kType == JfrType::kBoolean) {
    return false;
  } else if constexpr (kType == JfrType::kString) {
    return std::string_view{};
  } else {
    return typename InlineStruct<kType>::Struct{};
  }
}

// Passes the value of a field to the function of `out` that writes the field's encoding. The
// template arguments are from the field's row in the table.
template <JfrType kType, JfrStorage kStorage, JfrMeaning kMeaning, class Writer, class Value>
void WriteField(Writer& out, const Value& value) {
  if constexpr (kStorage == JfrStorage::kPool) {
    out.Key(kType, static_cast<uint32_t>(value));
  } else if constexpr (kType == JfrType::kLong) {
    if constexpr (kMeaning == JfrMeaning::kTicks) {
      out.Time(value);
    } else if constexpr (kMeaning == JfrMeaning::kTickDuration) {
      out.Duration(value);
    } else {
      out.Long(static_cast<int64_t>(value));
    }
  } else if constexpr (kType == JfrType::kInt) {
    out.Int(value);
  } else if constexpr (kType == JfrType::kFloat) {
    out.Float(value);
  } else if constexpr (kType == JfrType::kDouble) {
    out.Double(value);
  } else if constexpr (kType == JfrType::kBoolean) {
    out.Bool(value);
  } else if constexpr (kType == JfrType::kString) {
    out.String(value);
  } else if constexpr (kType == JfrType::kAppended) {
    out.BeginAppended();
  } else {
    WriteFields(out, value);
  }
}

#define JFR_TYPE(Id, kind, name)
#define JFR_FIELD(name, Type, storage, meaning, label)
#define JFR_END() \
  }               \
  ;

#define JFR_INLINE(Id, name)            \
  struct Id;                            \
  template <>                           \
  struct InlineStruct<JfrType::k##Id> { \
    using Struct = Id;                  \
  };                                    \
  struct Id {
#define JFR_EVENT(Id, name, label, category) \
  struct Id {                                \
    static constexpr JfrType kType = JfrType::k##Id;
// NOLINTBEGIN(bugprone-macro-parentheses): `member` is a name that is declared
#define JFR_MEMBER(member, name, Type, storage, meaning, label)                                 \
  decltype(InitialValue<JfrType::k##Type, JfrStorage::storage, JfrMeaning::meaning>()) member = \
      InitialValue<JfrType::k##Type, JfrStorage::storage, JfrMeaning::meaning>();
// NOLINTEND(bugprone-macro-parentheses)
#include "jfr/format/jfr_types.def"
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_MEMBER
#undef JFR_END

#define JFR_END() }
#define JFR_INLINE(Id, name) \
  template <class Writer>    \
  void WriteFields(Writer& out, const Id& value) {
#define JFR_EVENT(Id, name, label, category) JFR_INLINE(Id, name)
#define JFR_MEMBER(member, name, Type, storage, meaning, label) \
  WriteField<JfrType::k##Type, JfrStorage::storage, JfrMeaning::meaning>(out, value.member);
#include "jfr/format/jfr_types.def"
#undef JFR_TYPE
#undef JFR_FIELD
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_MEMBER
#undef JFR_END

}  // namespace jprof
