// The events of our recordings as plain structs, generated from jfr_types.def: a JFR_EVENT block is
// a struct, each of its rows a member. Times are CLOCK_MONOTONIC nanoseconds; keys come from
// ConstantPools (0: none); strings are UTF-8, and a string without data (std::string_view{}) is
// written as null. The views need to live only until JfrWriter::Append returns.
#pragma once

#include "jfr/format/jfr_types.h"
#include "jfr/writer/event_member.h"

namespace jprof {

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
// NOLINTBEGIN(bugprone-macro-parentheses): `member` is declared
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
