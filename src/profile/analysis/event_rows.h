// Events of any type as rows: for tables, markers and counters. jprof only.
//
//   bool WantsEvents(const RecordedType& type) { columns = ColumnsOf(schema, type); }
//   void OnEvent(const ProfileEvent& event) { values = ValuesOf(event); }
//
// One thread. Time, duration, thread and stack of an event are members of ProfileEvent and no
// columns. Nothing here fails: what is damaged reads as empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile_event.h"

namespace jprof::profile {

// The form of a value, and the unit of its number.
enum class ValueForm : uint8_t {
  kText,      // no number
  kBoolean,   // 0 or 1
  kNumber,    // as it is
  kTime,      // nanoseconds since 1970
  kDuration,  // nanoseconds
  kBytes,
  kFraction,  // 0.25 for "25 %"
  kAddress,
};

struct EventColumn {
  std::string name;   // "heapSpace.committedSize": fields of structs are columns of their own
  std::string label;  // for people; the name if the file has none
  ValueForm form = ValueForm::kText;
};

struct EventValue {
  std::string text;   // for people: "12.5 ms", "3.00 MB", "main"
  double number = 0;  // NaN: there is none; infinite: as the recording has it
};

// The columns of a type; at most kMaxColumns.
inline constexpr size_t kMaxColumns = 100;
// Of a table of a type that chunks may declare differently.
inline constexpr size_t kMaxTableColumns = 2 * kMaxColumns;
std::vector<EventColumn> ColumnsOf(const JfrSchema& schema, const RecordedType& type);

// One for each column.
std::vector<EventValue> ValuesOf(const ProfileEvent& event);

// "java.util.HashMap.get", of a value that refers to a method.
std::string MethodText(const JfrValue& method);

// "Heap Summary"; the name of the type if the file has no label for it.
std::string LabelOf(const RecordedType& type);

// "12.5 ms", "3.00 MB", "2026-11-23T12:00:05.123+01:00" (in the zone of the reader), "25.0 %".
std::string TextOf(ValueForm form, double number);

}  // namespace jprof::profile
