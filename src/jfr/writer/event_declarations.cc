#include "jfr/writer/event_declarations.h"

#include <utility>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// True if the table has a field of this name for the event.
bool HasField(JfrType event, std::string_view name) {
  size_t row = RowNumber(event) + 1;
  for (; row < kJfrTypeTable.size() && kJfrTypeTable[row].kind == JfrKind::kField; ++row) {
    if (kJfrTypeTable[row].name == name) return true;
  }
  return false;
}

}  // namespace

EventDeclarations EventDeclarations::All() {
  EventDeclarations all;
  for (const JfrRow row : kJfrTypeTable) {
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
  JPROF_CHECK(!HasField(event, field.name));
  Declare(event);
  std::vector<TrailingField>& fields = appended_[event];
  const std::string head(kAppendedHead);
  if (fields.empty() && !HasField(event, head)) fields.push_back({head, JfrType::kAppended});
  fields.push_back(std::move(field));
}

bool EventDeclarations::Has(JfrType event) const { return declared_.test(TypeId(event)); }

std::span<const TrailingField> EventDeclarations::FieldsAppendedTo(JfrType event) const {
  const auto entry = appended_.find(event);
  if (entry == appended_.end()) return {};
  return entry->second;
}

}  // namespace jprof
