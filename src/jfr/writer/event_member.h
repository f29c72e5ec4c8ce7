// From a row of jfr_types.def to a member of an event's struct (jfr_events.h): the C++ type and the
// encoding. Compile time, and the recorder's thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/constants.h"

namespace jprof {

// A struct inside an event.
template <JfrType kType>
struct InlineStruct;

// The initial value of a member, which determines its type.
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

// Passes a value to a writer, in the encoding of its row in the table.
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

}  // namespace jprof
