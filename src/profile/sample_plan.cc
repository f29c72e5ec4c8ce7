#include "profile/sample_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "jfr/format/jfr_types.h"

namespace jprof::profile {
namespace {

struct KnownTypeRow {
  uint32_t KnownTypes::*type;
  std::string_view name;
  std::string_view older_name;  // name in Oracle's JDK 9 and 10
};
constexpr KnownTypeRow kKnownTypes[] = {
    {&KnownTypes::thread, "java.lang.Thread", {}},
    {&KnownTypes::stack_trace, JfrName(JfrType::kStackTrace), "com.oracle.jfr.types.StackTrace"},
    {&KnownTypes::stack_frame, JfrName(JfrType::kStackFrame), "com.oracle.jfr.types.StackFrame"},
    {&KnownTypes::method, JfrName(JfrType::kMethod), "com.oracle.jfr.types.Method"},
    {&KnownTypes::class_type, "java.lang.Class", {}},
    {&KnownTypes::frame_type, JfrName(JfrType::kFrameType), "com.oracle.jfr.types.FrameType"},
    {&KnownTypes::thread_state, JfrName(JfrType::kThreadState), "com.oracle.jfr.types.ThreadState"},
};

struct EventRow {
  std::string_view event, kind, value_field;
  SampleUnit unit;
  std::string_view leaf_field;
  Covers covers;
  const char *error_field, *companion;  // nullptr if there is none
};
constexpr const char* IfAny(const char* name) { return name[0] == '\0' ? nullptr : name; }
constexpr EventRow kEventRows[] = {
#define SAMPLE_EVENT(event, kind, value_field, unit, leaf_field, covers, error_field, companion) \
  {event,      kind,           value_field,        SampleUnit::unit,                             \
   leaf_field, Covers::covers, IfAny(error_field), IfAny(companion)},
#include "sigsafe/base/sample_kinds.def"
};

constexpr std::string_view kSnapshotMarks[] = {
#define SAMPLE_SNAPSHOT(event) event,
#include "sigsafe/base/sample_kinds.def"
};

struct SourceRow {
  std::string_view event;
  int rank;
};
constexpr SourceRow kSources[] = {
#define SAMPLE_SOURCE(event, rank) {event, rank},
#include "sigsafe/base/sample_kinds.def"
};

constexpr SamplePlan::Label kLabels[] = {
#define SAMPLE_LABEL(field, key) {field, key},
#include "profile/sample_labels.def"
};

// Removes "jdk." from "jdk.FileRead"; other vendors' types keep their full names.
std::string_view WithoutJdk(std::string_view name) {
  return name.starts_with("jdk.") ? name.substr(4) : name;
}

bool IsListed(const EventRow& row) { return !row.event.empty(); }

EventRow RowOf(std::string_view event) {
  for (const EventRow& row : kEventRows) {
    if (row.event == event) return row;
  }
  return {{}, WithoutJdk(event), "duration", SampleUnit::kNanos,
          {}, Covers::kAfter,    nullptr,    nullptr};
}

// Returns the index of the event in the table. An event that is not listed gets a higher number
// than all listed ones.
int PreferenceOf(std::string_view event) {
  int place = 0;
  for (const EventRow& row : kEventRows) {
    if (row.event == event) break;
    ++place;
  }
  return place;
}

std::optional<int> RankOf(std::string_view event) {
  for (const SourceRow& row : kSources) {
    if (row.event == event) return row.rank;
  }
  return std::nullopt;
}

bool IsNumber(const JfrSchema& schema, const JfrField& field) {
  const JfrPrimitive primitive = schema.type(field.type).primitive;
  return !field.is_array && !field.in_pool &&
         (primitive == JfrPrimitive::kInt || primitive == JfrPrimitive::kLong);
}

}  // namespace

KnownTypes::KnownTypes(const JfrSchema& schema) {
  for (const KnownTypeRow& row : kKnownTypes) {
    const RecordedType* found = schema.Named(row.name);
    if (found == nullptr && !row.older_name.empty()) found = schema.Named(row.older_name);
    if (found != nullptr) this->*row.type = schema.IndexOf(*found);
  }
}

std::string SourceNames(std::string_view kind, int rank) {
  std::string names;
  for (const SourceRow& row : kSources) {
    if (row.rank != rank || RowOf(row.event).kind != kind) continue;
    names += (names.empty() ? "" : " and ") + std::string(row.event);
  }
  return names;
}

bool IsSnapshotMark(std::string_view type) {
  return std::ranges::find(kSnapshotMarks, type) != std::end(kSnapshotMarks);
}

SamplePlan::SamplePlan(const JfrSchema& schema, const KnownTypes& types, const RecordedType& type,
                       std::string_view counter, Profile& profile) {
  FindReference(type, kStack, "stackTrace", types.stack_trace);
  if (!has_[kStack]) return;
  EventRow row = RowOf(type.name);
  if (type.name == kCounted && !counter.empty()) row.kind = counter;
  rank_ = RankOf(type.name);
  is_listed_ = IsListed(row);
  covers_ = row.covers;
  if (row.companion != nullptr) companion_ = row.companion;
  FindNumber(schema, type, kTime, "startTime");
  FindReference(type, kThread, "sampledThread", types.thread);
  if (!has_[kThread]) FindReference(type, kThread, "eventThread", types.thread);
  const bool is_count = row.unit == SampleUnit::kSamples;
  FindNumber(schema, type, kSamples,
             is_count && !row.value_field.empty() ? row.value_field : "samples");
  if (covers_ == Covers::kBefore) FindNumber(schema, type, kTimeSpan, "timeSpan");
  if (!is_count) FindNumber(schema, type, kValue, row.value_field);
  if (!is_count && !has_[kValue]) FindObjects(schema, type, row.value_field);
  // If the weight is an estimate, and the type does not have the field of the weight, its events
  // are not samples.
  if (row.error_field != nullptr) {
    if (!has_[kValue]) return;
    FindNumber(schema, type, kError, row.error_field);
    FindNumber(schema, type, kObjectSize, "objectSize");
  }
  FindLeaf(type, row.leaf_field, types);
  FindState(type, types.thread_state);
  FindLabels(schema, type);

  // If the kind of an unlisted type is already counted in samples, all its events in an earlier
  // chunk had the duration 0. So its events in this chunk are also counted.
  if (!is_listed_ && profile.HasKind(row.kind, SampleUnit::kSamples)) has_[kValue] = false;
  SampleUnit unit = SampleUnit::kSamples;
  if (has_[kValue]) {
    may_lack_durations_ = !is_listed_;
    unit = row.unit;
    value_is_ticks_ = type.fields[places_[kValue]].unit == JfrUnit::kTickDuration;
  }
  const std::optional<uint32_t> kind = profile.KindNumber(row.kind, unit, PreferenceOf(type.name));
  valid_ = kind.has_value();
  is_beyond_limit_ = !valid_;
  kind_ = kind.value_or(0);
  if (valid_ && covers_ == Covers::kBefore) profile.kinds[kind_].is_elapsed = true;
  const bool is_snapshot = covers_ == Covers::kSnapshot || covers_ == Covers::kChunk;
  if (valid_ && is_snapshot) profile.kinds[kind_].is_snapshot = true;
  if (valid_) MakeSteps(schema, type);
}

void SamplePlan::FindNumber(const JfrSchema& schema, const RecordedType& type, Slot slot,
                            std::string_view name) {
  const int place = name.empty() ? -1 : type.IndexOf(name);
  if (place < 0) return;
  places_[slot] = static_cast<size_t>(place);
  has_[slot] = IsNumber(schema, type.fields[places_[slot]]);
}

// Finds the weight if the field `name` is a float: then it is the number of objects for which the
// sample stands, and the field `size` is the size of each of them.
void SamplePlan::FindObjects(const JfrSchema& schema, const RecordedType& type,
                             std::string_view name) {
  const int place = name.empty() ? -1 : type.IndexOf(name);
  if (place < 0) return;
  const JfrField& field = type.fields[static_cast<size_t>(place)];
  if (field.is_array || field.in_pool) return;
  if (schema.type(field.type).primitive != JfrPrimitive::kFloat) return;
  FindNumber(schema, type, kObjectSize, "size");
  if (!has_[kObjectSize]) return;
  places_[kValue] = static_cast<size_t>(place);
  has_[kValue] = value_is_objects_ = true;
}

void SamplePlan::FindReference(const RecordedType& type, Slot slot, std::string_view name,
                               uint32_t target) {
  const int place = name.empty() ? -1 : type.IndexOf(name);
  if (place < 0) return;
  places_[slot] = static_cast<size_t>(place);
  const JfrField& field = type.fields[places_[slot]];
  has_[slot] = field.IsReferenceTo(target);
  if (field.in_pool && !has_[slot]) has_misfit_ = true;
}

void SamplePlan::FindLeaf(const RecordedType& type, std::string_view name,
                          const KnownTypes& types) {
  const int place = name.empty() ? -1 : type.IndexOf(name);
  if (place < 0) return;
  const bool is_method = type.fields[static_cast<size_t>(place)].IsReferenceTo(types.method);
  FindReference(type, is_method ? kMethod : kClass, name,
                is_method ? types.method : types.class_type);
}

// Does not set has_misfit_ if the field `state` is not a thread state: events of other programs can
// use this name for something else.
void SamplePlan::FindState(const RecordedType& type, uint32_t target) {
  const int place = type.IndexOf("state");
  if (place < 0) return;
  places_[kState] = static_cast<size_t>(place);
  has_[kState] = type.fields[places_[kState]].IsReferenceTo(target);
}

void SamplePlan::FindLabels(const JfrSchema& schema, const RecordedType& type) {
  for (const Label& label : kLabels) {
    const int place = type.IndexOf(label.field);
    if (place < 0) continue;
    const JfrField& field = type.fields[static_cast<size_t>(place)];
    const bool is_text = schema.type(field.type).primitive == JfrPrimitive::kString;
    if (!field.is_array && (is_text || IsNumber(schema, field))) labels_.push_back(label);
  }
  FindTags(schema, type);
}

// Tags are the text fields that come after all those fields of the type that sample_labels.def
// lists.
void SamplePlan::FindTags(const JfrSchema& schema, const RecordedType& type) {
  if (type.IndexOf("spanId") < 0) return;
  int last = 0;
  for (const Label& label : kLabels) last = std::max(last, type.IndexOf(label.field));
  last_label_ = &type.fields[static_cast<size_t>(last)];
  has_tags_ =
      std::ranges::any_of(type.fields, [&](const JfrField& field) { return IsTag(schema, field); });
}

bool SamplePlan::IsTag(const JfrSchema& schema, const JfrField& field) const {
  return &field > last_label_ && !field.is_array &&
         schema.type(field.type).primitive == JfrPrimitive::kString;
}

void SamplePlan::MakeSteps(const JfrSchema& schema, const RecordedType& type) {
  size_t last = 0;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (has_[slot]) last = std::max(last, places_[slot]);
  }
  for (size_t place = 0; place <= last; ++place) {
    int wanted = -1;
    for (int slot = 0; slot < kSlots; ++slot) {
      if (has_[slot] && places_[slot] == place) wanted = slot;
    }
    AddField(schema, type, type.fields[place], wanted);
  }
}

void SamplePlan::AddField(const JfrSchema& schema, const RecordedType& type, const JfrField& field,
                          int slot) {
  const bool compressed = type.varints != 0;  // varints != 0 only if all fields are integers
  if (slot >= 0) {
    const JfrPrimitive primitive = schema.type(field.type).primitive;
    const bool is_int = !field.in_pool && primitive == JfrPrimitive::kInt;
    const bool is_float = !field.in_pool && primitive == JfrPrimitive::kFloat;
    const Action number = is_int ? Action::kReadInt : Action::kReadLong;
    const Action wide = is_float ? Action::kReadFloat : number;
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
    if (fields.failed()) return false;  // the event can be too short for all fields of its type
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
      case Action::kReadFloat:
        values[step.slot] = fields.BigEndian(4);
        break;
      case Action::kSkipField:
        schema.SkipField(fields, *step.field);
        break;
    }
  }
  return !fields.failed();
}

}  // namespace jprof::profile
