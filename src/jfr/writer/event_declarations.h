// EventDeclarations: the event types that the metadata of a chunk declares, and the fields that
// this recording appends to event types. All types of jfr_types.def that are not events are always
// declared. EncodeMetadata: writes the declarations as the chunk's metadata event.
//
// The declarations are set before a chunk begins, and do not change while the chunk is open. Used
// by the recorder's thread.
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

class JfrEncoder;

// A field that a recording appends to an event, after the fields of the table. Before the first of
// these fields comes a field of the type kAppended, which makes readers that hard-code the fields
// of an event skip the appended fields.
struct TrailingField {
  std::string name;
  JfrType type;  // kLong or kString; the first field can be kAppended
  JfrMeaning meaning = JfrMeaning::kNone;
  std::string label = {};
};

// The value of a TrailingField: `number` or `text`, depending on the type of the field. The text
// must live until the event is appended; a view without data is written as null.
struct TrailingValue {
  TrailingValue(int64_t value) : number(value) {}         // NOLINT(google-explicit-constructor)
  TrailingValue(std::string_view value) : text(value) {}  // NOLINT(google-explicit-constructor)

  int64_t number = 0;
  std::string_view text;
};

class EventDeclarations {
 public:
  // Declares every event of the table, without trailing fields.
  static EventDeclarations All();

  // Declares no event.
  EventDeclarations() = default;

  // For all functions below, REQUIRES: `event` is an event type of the table.
  void Declare(JfrType event);
  // Appends a field to the event, and declares the event. If the field is the first that is
  // appended to the event, puts the field kAppendedHead before it, unless the table already has
  // kAppendedHead for the event. REQUIRES: no field of the table has the name of `field`.
  void AppendField(JfrType event, TrailingField field);

  bool Has(JfrType event) const;
  // Returns the fields that were appended to the event, including the field kAppendedHead if
  // AppendField has put it there.
  std::span<const TrailingField> FieldsAppendedTo(JfrType event) const;

  static constexpr std::string_view kAppendedHead = "appended";

 private:
  std::bitset<kJfrTypeIds> declared_;  // indexed by type id
  std::map<JfrType, std::vector<TrailingField>> appended_;
};

// Appends the metadata event of a chunk. The event has less than 23 KB. It declares the types of
// jfr_types.def and, for the JDK's views, those of view_events.def. The metadata id is a hash of
// the content, because JDK readers skip a chunk's metadata if its id equals that of the previous
// chunk's metadata. Thread-safe.
void EncodeMetadata(JfrEncoder& out, const EventDeclarations& declarations, int64_t start_ticks);

}  // namespace jprof
