#include "formats/firefox/markers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/credible_time.h"
#include "formats/json_writer.h"
#include "jfr/format/jfr_types.h"

namespace jprof::firefox {
namespace {

using profile::EventColumn;
using profile::EventValue;
using profile::RecordedType;
using profile::ValueForm;

struct Rule {
  std::string_view part;
  Category category;
  std::string_view place;
};
constexpr Rule kRules[] = {
#define MARKER_RULE(part, Id, place) {part, Category::k##Id, place},
#include "formats/firefox/marker_rules.def"
};

// The events that are samples of a thread's time or of memory. They are not markers, because the
// format has other tables for them. Every other row of sample_kinds.def becomes an empty name here.
constexpr std::string_view kSampleEvents[] = {
#define SAMPLE_EVENT(event, kind, value_field, unit, ...)                                          \
  profile::SampleUnit::unit != profile::SampleUnit::kNanos || std::string_view(kind) == "cpu-time" \
      ? std::string_view(event)                                                                    \
      : std::string_view(),
#include "sigsafe/base/sample_kinds.def"
};

// The events that become markers although they have neither a duration nor a stack. The front end
// draws their numbers as a graph.
constexpr std::string_view kGraphs[] = {JfrName(JfrType::kThreadCPULoad)};

constexpr std::string_view kReserved[] = {"type", "cause", "name", "category"};

const Rule& RuleOf(std::string_view type) {
  return *std::find_if(std::begin(kRules), std::end(kRules), [type](const Rule& rule) {
    return type.find(rule.part) != std::string_view::npos;
  });
}

template <class Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns the key of a column. A key consists of letters, digits and '_', because the templates of
// labels contain keys.
std::string KeyOf(std::string_view column) {
  std::string key(column);
  for (char& c : key) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_plain) c = '_';
  }
  return Contains(kReserved, key) ? key + "_" : key;
}

std::string_view FormatOf(ValueForm form) {
  switch (form) {
    case ValueForm::kNumber:
      return "decimal";
    case ValueForm::kDuration:
      return "duration";
    case ValueForm::kBytes:
      return "bytes";
    case ValueForm::kFraction:
      return "percentage";
    default:
      return "unique-string";
  }
}

}  // namespace

bool Markers::Wants(const RecordedType& type) {
  if (Contains(kSampleEvents, type.name)) return false;
  return type.IndexOf("duration") >= 0 || type.IndexOf("stackTrace") >= 0 ||
         Contains(kGraphs, type.name);
}

uint32_t Markers::SchemaOf(const RecordedType& type) {
  const auto [entry, is_new] =
      schema_numbers_.try_emplace(std::string(type.name), static_cast<uint32_t>(schemas_.size()));
  if (is_new) {
    const Rule& rule = RuleOf(type.name);
    const std::string label = profile::LabelOf(type);
    schemas_.push_back({.type = std::string(type.name),
                        .label = label,
                        .name = strings_.NumberOf(label),
                        .category = rule.category,
                        .place = rule.place,
                        .is_graph = Contains(kGraphs, type.name),
                        .fields = {}});
  }
  return entry->second;
}

const Markers::Plan& Markers::PlanOf(const profile::JfrEvent& event) {
  if (plan_chunk_ != event.chunk().number) plans_.clear();
  plan_chunk_ = event.chunk().number;
  const auto [entry, is_new] =
      plans_.try_emplace(event.chunk().schema.IndexOf(event.type()), Plan{});
  Plan& plan = entry->second;
  if (!is_new) return plan;
  plan.schema = SchemaOf(event.type());
  Schema& schema = schemas_[plan.schema];
  std::vector<Field>& fields = schema.fields;
  for (const EventColumn& column : profile::ColumnsOf(event.chunk().schema, event.type())) {
    const std::string key = KeyOf(column.name);
    auto field = std::find_if(fields.begin(), fields.end(),
                              [&key](const Field& known) { return known.key == key; });
    if (field == fields.end() && fields.size() == profile::kMaxTableColumns) {
      schema.has_all_fields = false;
    } else if (field == fields.end()) {
      field = fields.insert(field, {key, column.label, FormatOf(column.form)});
    }
    plan.fields.push_back(static_cast<uint32_t>(field - fields.begin()));
    plan.forms.push_back(column.form);
  }
  return plan;
}

void Markers::OnEvent(const profile::ProfileEvent& event) {
  const Plan& plan = PlanOf(event.event);
  Marker marker{CredibleTime(event.time_ns),
                CredibleDuration(event.duration_ns),
                plan.schema,
                event.stack,
                data_.size(),
                0};
  const std::vector<EventValue> values = profile::ValuesOf(event);
  const std::vector<Field>& fields = schemas_[plan.schema].fields;
  for (size_t i = 0; i < std::min(values.size(), plan.fields.size()); ++i) {
    if (plan.fields[i] < fields.size()) {
      AppendField(fields[plan.fields[i]], plan.forms[i], values[i]);
    }
  }
  marker.data_size = data_.size() - marker.data;
  first_ns_ = std::min(first_ns_, marker.time_ns);
  by_thread_[event.thread.value_or(kNoThread)].push_back(marker);
}

void Markers::AppendField(const Field& field, ValueForm form, const EventValue& value) {
  const bool is_text = FormatOf(form) == field.format && field.format == "unique-string";
  if (is_text && value.text.empty()) return;
  data_ += ",\"" + field.key + "\":";
  if (is_text) {
    data_ += std::to_string(strings_.NumberOf(value.text));
    return;
  }
  double number = form == ValueForm::kDuration ? value.number / 1e6 : value.number;
  if (!std::isfinite(number) || FormatOf(form) != field.format) number = 0;
  char digits[32];
  data_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void Markers::Join(uint32_t from, uint32_t to) {
  auto moved = by_thread_.extract(from);
  if (moved.empty()) return;
  std::vector<Marker>& markers = by_thread_[to];
  markers.insert(markers.end(), moved.mapped().begin(), moved.mapped().end());
}

size_t Markers::CountOf(uint32_t thread) const {
  const auto found = by_thread_.find(thread);
  return found == by_thread_.end() ? 0 : found->second.size();
}

std::vector<uint32_t> Markers::Threads() const {
  std::vector<uint32_t> threads;
  for (const auto& [thread, markers] : by_thread_) threads.push_back(thread);
  return threads;
}

void Markers::Write(uint32_t thread, int64_t start_ns, CodeTables& code, JsonWriter& json) const {
  constexpr int kInstant = 0, kInterval = 1;
  std::vector<Marker> markers;
  if (const auto found = by_thread_.find(thread); found != by_thread_.end()) {
    markers = found->second;
  }
  std::stable_sort(markers.begin(), markers.end(),
                   [](const Marker& a, const Marker& b) { return a.time_ns < b.time_ns; });
  const auto column = [&](std::string_view name, const auto& write) {
    json.BeginArray(name);
    for (const Marker& marker : markers) write(marker);
    json.EndArray();
  };
  json.BeginObject();
  column("data", [&](const Marker& marker) {
    json.BeginObject();
    json.Text("type", schemas_[marker.schema].type);
    if (marker.stack && *marker.stack != profile::CallTree::kRoot) {
      json.BeginObject("cause");
      json.Millis("time", marker.time_ns - start_ns);
      json.Number("stack", code.StackRow(*marker.stack));
      json.EndObject();
    }
    if (marker.data_size != 0) {
      json.Raw(std::string_view(data_).substr(marker.data + 1, marker.data_size - 1));
    }
    json.EndObject();
  });
  column("name", [&](const Marker& marker) { json.Number(schemas_[marker.schema].name); });
  column("startTime", [&](const Marker& marker) { json.Millis(marker.time_ns - start_ns); });
  column("endTime", [&](const Marker& marker) {
    if (marker.duration_ns == 0) {
      json.Null();
    } else {
      json.Millis(marker.time_ns - start_ns + marker.duration_ns);
    }
  });
  column("phase", [&](const Marker& marker) {
    json.Number(marker.duration_ns == 0 ? kInstant : kInterval);
  });
  column("category", [&](const Marker& marker) {
    json.Number(static_cast<uint64_t>(schemas_[marker.schema].category));
  });
  json.Number("length", markers.size());
  json.EndObject();
}

void Markers::WriteSchemas(JsonWriter& json) const {
  json.BeginArray();
  for (const Schema& schema : schemas_) {
    json.BeginObject();
    json.Text("name", schema.type);
    json.Text("tooltipLabel", schema.has_all_fields
                                  ? schema.label
                                  : schema.label + ", with its first " +
                                        std::to_string(schema.fields.size()) + " fields only");
    const auto text =
        std::find_if(schema.fields.begin(), schema.fields.end(),
                     [](const Field& field) { return field.format == "unique-string"; });
    json.Text("tableLabel",
              text == schema.fields.end() ? schema.label : "{marker.data." + text->key + "}");
    json.Text("chartLabel", schema.label);
    json.BeginArray("display");
    for (const std::string_view place :
         {std::string_view("marker-chart"), std::string_view("marker-table"), schema.place}) {
      if (!place.empty()) json.Text(place);
    }
    json.EndArray();
    json.BeginArray("fields");
    for (const Field& field : schema.fields) {
      json.BeginObject();
      json.Text("key", field.key);
      json.Text("label", field.label);
      json.Text("format", field.format);
      json.EndObject();
    }
    json.EndArray();
    if (schema.is_graph) {
      json.BeginArray("graphs");
      for (const Field& field : schema.fields) {
        if (field.format != "percentage") continue;
        json.BeginObject();
        json.Text("key", field.key);
        json.Text("type", "line");
        json.EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace jprof::firefox
