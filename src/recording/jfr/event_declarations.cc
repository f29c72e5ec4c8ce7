#include "recording/jfr/event_declarations.h"

#include <utility>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

[[maybe_unused]] bool IsEvent(JfrType type) {
  return TypeId(type) > TypeId(JfrType::kCheckpoint) &&
         kJfrTypeTable[RowNumber(type)].kind == JfrKind::kEvent;
}

}  // namespace

EventDeclarations EventDeclarations::All() {
  EventDeclarations all;
  for (const JfrRow& row : kJfrTypeTable) {
    if (row.kind == JfrKind::kEvent) all.Declare(row.type);
  }
  return all;
}

void EventDeclarations::Declare(JfrType event) {
  JPROF_CHECK(IsEvent(event));
  declared_.set(TypeId(event));
}

void EventDeclarations::AppendField(JfrType event, TrailingField field) {
  JPROF_CHECK(field.type == JfrType::kLong || field.type == JfrType::kString);
  Declare(event);
  appended_[event].push_back(std::move(field));
}

bool EventDeclarations::Has(JfrType event) const { return declared_.test(TypeId(event)); }

std::span<const TrailingField> EventDeclarations::FieldsAppendedTo(JfrType event) const {
  const auto entry = appended_.find(event);
  if (entry == appended_.end()) return {};
  return entry->second;
}

}  // namespace jprof
