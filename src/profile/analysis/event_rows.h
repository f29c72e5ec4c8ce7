// Functions that read events of any type as rows, for tables and markers:
//
//   bool WantsEvents(const RecordedType& type) { columns = ColumnsOf(schema, type); }
//   void OnEvent(const ProfileEvent& event) { values = ValuesOf(event); }
//
// The time, duration, thread and stack of an event are members of ProfileEvent and not columns.
// None of these functions fails: damaged values are empty. Thread-safe: no state.
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
  kNumber,    // a number without a unit
  kTime,      // nanoseconds since 1970
  kDuration,  // nanoseconds
  kBytes,
  kFraction,  // 0.25 for "25.00 %"
  kAddress,
};

struct EventColumn {
  std::string name;   // "heapSpace.committedSize": each field of a struct is a column
  std::string label;  // text for people; the name if the file has no label
  ValueForm form = ValueForm::kText;
};

struct EventValue {
  std::string text;   // text for people: "12.5 ms", "3.00 MB", "main"
  double number = 0;  // 0 for a text; NaN if the JDK wrote "none"; can be infinite
};

inline constexpr size_t kMaxColumns = 100;
// Caps the columns of a table of events. If chunks declare the type of the events differently, the
// table has the columns of all these declarations.
inline constexpr size_t kMaxTableColumns = 2 * kMaxColumns;
// Returns the columns of a type, at most kMaxColumns.
std::vector<EventColumn> ColumnsOf(const JfrSchema& schema, const RecordedType& type);

// Returns the values of an event, one for each column of its type.
std::vector<EventValue> ValuesOf(const ProfileEvent& event);

// Returns "java.util.HashMap.get" for a value that refers to a method.
std::string MethodText(const JfrValue& method);

// Returns the innermost methods outside the JDK of a value that refers to a stack, callee first:
// "app.Cache.refresh <- app.Loader.load". Native code is left out. If all methods belong to the
// JDK, returns the innermost ones. Returns an empty text if the value is no stack.
std::string StackText(const JfrValue& stack);

// Returns the label of the type, such as "Heap Summary", or its name if the file has no label.
std::string LabelOf(const RecordedType& type);

// Returns the number as a text for people: "12.5 ms", "3.00 MB", "25.00 %", or
// "2026-11-23T12:00:05.123+01:00" in the reader's time zone.
std::string TextOf(ValueForm form, double number);

}  // namespace jprof::profile
