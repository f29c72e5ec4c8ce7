// ViewEvents: the event types that must be declared for the JDK's views, even if the chunk has no
// such events. A type that the recording enables is declared from jfr_types.def instead, with all
// its fields. Everything is constexpr and usable on any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "jfr/format/jfr_types.h"

namespace jprof {

struct ViewEvent {
  std::string_view name;
  std::string_view fields;  // fields after startTime: "long duration, StackTrace stackTrace"
};

// The names and fields of all types in one text: name, fields, name, fields and so on. An array of
// pointers would need a relocation for each pointer.
inline constexpr char kViewTexts[] =
#define JFR_VIEW_EVENT(name, fields) name "\0" fields "\0"
#include "jfr/writer/view_events.def"
#undef JFR_VIEW_EVENT
    ;

// Calls `use` with each type, in the order of the table.
template <typename Use>
constexpr void ForEachViewEvent(const Use& use) {
  const char* text = kViewTexts;
  while (*text != '\0') {
    const std::string_view name = text;
    const std::string_view fields = name.data() + name.size() + 1;
    use(ViewEvent{name, fields});
    text = fields.data() + fields.size() + 1;
  }
}

// Returns the row of the type that has this name without its package: the row of java.lang.Class
// for "Class". REQUIRES: the table has such a type.
constexpr JfrRow TypeWithoutPackage(std::string_view name) {
  for (size_t row = 0;; ++row) {
    // The kind is read first, because most rows are fields, whose texts are not needed.
    const JfrKind kind = kPackedJfrRows[row].kind;
    if (kind == JfrKind::kField || kind == JfrKind::kEvent) continue;
    const JfrRow type = kJfrTypeTable[row];
    const size_t dot = type.name.rfind('.');
    if (type.name.substr(dot == type.name.npos ? 0 : dot + 1) == name) return type;
  }
}

// Calls `use(type, name)` with each field of the event, startTime first. `type` is a row of
// jfr_types.def.
template <typename Use>
constexpr void ForEachViewField(const ViewEvent& event, const Use& use) {
  use(TypeWithoutPackage("long"), "startTime");
  std::string_view rest = event.fields;
  while (!rest.empty()) {
    const size_t space = rest.find(' ');
    const size_t end = rest.find(',', space);
    use(TypeWithoutPackage(rest.substr(0, space)), rest.substr(space + 1, end - space - 1));
    if (end == rest.npos) return;
    rest.remove_prefix(end + 2);  // ", "
  }
}

}  // namespace jprof
