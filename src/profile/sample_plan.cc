#include "profile/sample_plan.h"

#include <iterator>
#include <string_view>

namespace jprof::profile {
namespace {

struct KindRow {
  std::string_view event, name, value_field;
  SampleUnit unit;
  std::string_view class_field;
};
constexpr KindRow kRows[] = {
#define SAMPLE_KIND(event, name, value_field, unit, class_field) \
  {event, name, value_field, SampleUnit::unit, class_field},
#include "profile/sample_kinds.def"
#undef SAMPLE_KIND
};

const KindRow* RowOf(std::string_view event) {
  for (const KindRow& row : kRows) {
    if (row.event == event) return &row;
  }
  return nullptr;
}

// "jdk.FileRead" is FileRead for people; other vendors' types keep their full names.
std::string_view WithoutJdk(std::string_view name) {
  return name.starts_with("jdk.") ? name.substr(4) : name;
}

bool IsNumber(const JfrSchema& schema, const JfrField& field) {
  const JfrPrimitive primitive = schema.type(field.type).primitive;
  return !field.is_array && !field.in_pool &&
         (primitive == JfrPrimitive::kInt || primitive == JfrPrimitive::kLong);
}

bool IsReference(const JfrField& field) { return field.in_pool && !field.is_array; }

}  // namespace

SamplePlan::SamplePlan(const JfrSchema& schema, const JfrType& type, Profile& profile) {
  const KindRow* row = RowOf(type.name);
  const std::string_view value_field = row != nullptr ? row->value_field : "duration";
  int slots[kSlots];
  const auto find = [&](Slot slot, std::string_view name) {
    slots[slot] = name.empty() ? -1 : type.IndexOf(name);
    if (slots[slot] < 0) return;
    const JfrField& field = type.fields[static_cast<size_t>(slots[slot])];
    const bool refers = slot == kThread || slot == kStack || slot == kClass;
    has_[slot] = refers ? IsReference(field) : IsNumber(schema, field);
    if (!has_[slot]) slots[slot] = -1;
    types_[slot] = field.type;
  };
  find(kStack, "stackTrace");
  if (!valid()) return;
  is_listed_ = row != nullptr;
  find(kTime, "startTime");
  find(kThread, "sampledThread");
  if (!has_[kThread]) find(kThread, "eventThread");
  find(kSamples, "samples");
  find(kValue, value_field);
  find(kClass, row != nullptr ? row->class_field : std::string_view());

  SampleUnit unit = row != nullptr ? row->unit : SampleUnit::kNanos;
  if (!has_[kValue]) unit = SampleUnit::kSamples;
  if (has_[kValue]) {
    const JfrField& value = type.fields[static_cast<size_t>(slots[kValue])];
    value_is_ticks_ = value.unit == JfrUnit::kTickSpan;
  }
  const int preference = static_cast<int>(row != nullptr ? row - kRows : std::ssize(kRows));
  kind_ = profile.KindNumber(row != nullptr ? row->name : WithoutJdk(type.name), unit, preference);

  int last = 0;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (has_[slot] && slots[slot] > last) last = slots[slot];
  }
  for (int i = 0; i <= last; ++i) {
    int wanted = -1;
    for (int slot = 0; slot < kSlots; ++slot) {
      if (has_[slot] && slots[slot] == i) wanted = slot;
    }
    AddField(schema, type, type.fields[static_cast<size_t>(i)], wanted);
  }
}

void SamplePlan::AddField(const JfrSchema& schema, const JfrType& type, const JfrField& field,
                          int slot) {
  const bool compressed = type.varints != 0;  // and then all fields are integers
  if (slot >= 0) {
    const bool is_int = !field.in_pool && schema.type(field.type).primitive == JfrPrimitive::kInt;
    const Action wide = is_int ? Action::kReadInt : Action::kReadLong;
    steps_.push_back(
        {compressed ? Action::kReadVarint : wide, static_cast<uint8_t>(slot), 0, nullptr});
  } else if (!compressed) {
    steps_.push_back({Action::kSkipField, 0, 0, &field});
  } else if (!steps_.empty() && steps_.back().action == Action::kSkipVarints) {
    ++steps_.back().count;
  } else {
    steps_.push_back({Action::kSkipVarints, 0, 1, nullptr});
  }
}

bool SamplePlan::Read(const JfrSchema& schema, ByteCursor fields, Values& values) const {
  for (const Step& step : steps_) {
    switch (step.action) {
      case Action::kReadVarint:
        values[step.slot] = fields.Varint();
        break;
      case Action::kSkipVarints:
        fields.SkipVarints(step.count);
        break;
      case Action::kReadLong:
        values[step.slot] = fields.Long();
        break;
      case Action::kReadInt:
        values[step.slot] = fields.Int();
        break;
      case Action::kSkipField:
        schema.SkipField(fields, *step.field);
        break;
    }
  }
  return !fields.failed();
}

}  // namespace jprof::profile
