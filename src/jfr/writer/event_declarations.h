// EventDeclarations: the event types that the metadata of a chunk declares, and the fields that
// this recording appends to an event type. All other types of jfr_types.def are always declared.
//
// Set before a chunk begins, constant while it is open. The recorder's thread.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/format/jfr_types.h"

namespace jprof {

// A field after those of the table, behind a field of the type kAppended: readers that hard-code
// an event's fields pass over them.
struct TrailingField {
  std::string name;
  JfrType type;  // kLong or kString; of the first one perhaps kAppended
  JfrMeaning meaning = JfrMeaning::kNone;
  std::string label = {};
};

// The value of such a field: of the two the one of its type. The text lives until the event is
// appended; without data it is null.
struct TrailingValue {
  TrailingValue(int64_t value) : number(value) {}         // NOLINT(google-explicit-constructor)
  TrailingValue(std::string_view value) : text(value) {}  // NOLINT(google-explicit-constructor)

  int64_t number = 0;
  std::string_view text;
};

class EventDeclarations {
 public:
  // Every event of the table, no trailing field.
  static EventDeclarations All();

  // No event.
  EventDeclarations() = default;

  // REQUIRES for all below: `event` is an event type of the table.
  void Declare(JfrType event);
  // Also declares the event, and the field kAppendedHead in front of its first appended field.
  // REQUIRES: no field of the event has the name.
  void AppendField(JfrType event, TrailingField field);

  bool Has(JfrType event) const;
  // Behind kAppendedHead, if the table has none for the event.
  std::span<const TrailingField> FieldsAppendedTo(JfrType event) const;

  static constexpr std::string_view kAppendedHead = "appended";

 private:
  std::bitset<kJfrTypeIds> declared_;  // by type id
  std::map<JfrType, std::vector<TrailingField>> appended_;
};

}  // namespace jprof
