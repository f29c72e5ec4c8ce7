#include "formats/firefox/counters.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "formats/credible_time.h"
#include "formats/json_writer.h"

namespace jprof::firefox {
namespace {

enum class Form : uint8_t { kShare, kBytes };

struct CounterRow {
  std::string_view event, field, second_field, name, category, label;
  Form form;
  std::string_view colour;
  int weight;
};
constexpr CounterRow kRows[] = {
#define COUNTER(event, field, second_field, name, category, label, form, colour, weight) \
  {event, field, second_field, name, category, label, Form::form, colour, weight},
#include "formats/firefox/counters.def"
};

constexpr double kMost = 1e18;

double NumberOf(const profile::JfrEvent& event, std::string_view field, Form form) {
  if (field.empty()) return 0;
  const profile::JfrValue value = event.Field(field);
  const double number = form == Form::kBytes ? static_cast<double>(value.Long()) : value.Double();
  return std::isfinite(number) ? std::clamp(number, 0.0, kMost) : 0;
}

// The time of an extra point before the first level. The front end takes the first count as 0,
// whatever is written, and sums up all changes to a level: the extra point makes the first level a
// change.
constexpr int64_t kBeforeFirstNs = 1000;

void WriteTooltip(const CounterRow& row, JsonWriter& json) {
  const bool is_share = row.form == Form::kShare;
  json.BeginArray("tooltipRows");
  json.BeginObject();
  json.Text("type", "value");
  json.Text("source", is_share ? "rate" : "accumulated");
  json.BeginObject("format");
  json.Text("unit", is_share ? "percent" : "bytes");
  json.EndObject();
  json.Text("label", row.label);
  json.EndObject();
  json.EndArray();
}

}  // namespace

Counters::Counters() : points_(std::size(kRows)) {}

bool Counters::Wants(const profile::RecordedType& type) {
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&type](const CounterRow& row) { return row.event == type.name; });
}

void Counters::OnEvent(const profile::ProfileEvent& event) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const CounterRow& row = kRows[i];
    if (row.event != event.event.type().name) continue;
    const double value = NumberOf(event.event, row.field, row.form) +
                         NumberOf(event.event, row.second_field, row.form);
    points_[i].push_back({CredibleTime(event.time_ns), value});
  }
}

int64_t Counters::first_ns() const {
  int64_t first_ns = INT64_MAX;
  for (const std::vector<Point>& points : points_) {
    for (const Point& point : points) first_ns = std::min(first_ns, point.time_ns);
  }
  return first_ns;
}

void Counters::Write(int64_t start_ns, const std::string& pid, size_t thread,
                     JsonWriter& json) const {
  json.BeginArray();
  for (size_t i = 0; i < std::size(kRows); ++i) {
    const CounterRow& row = kRows[i];
    std::vector<Point> points = points_[i];
    if (points.empty()) continue;
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.time_ns < b.time_ns; });
    const bool is_level = row.form == Form::kBytes;
    if (is_level) points.insert(points.begin(), {points[0].time_ns - kBeforeFirstNs, 0});
    json.BeginObject();
    json.Text("name", row.name);
    json.Text("category", row.category);
    json.Text("description", row.label);
    json.Text("pid", pid);
    json.Number("mainThreadIndex", thread);
    json.BeginObject("samples");
    json.BeginArray("time");
    for (const Point& point : points) json.Millis(point.time_ns - start_ns);
    json.EndArray();
    json.BeginArray("count");
    for (size_t at = 0; at < points.size(); ++at) {
      if (at == 0) {
        json.Number(0);
      } else if (is_level) {
        json.Signed(static_cast<int64_t>(points[at].value) -
                    static_cast<int64_t>(points[at - 1].value));
      } else {  // the share of all CPUs times the milliseconds since the last point
        const auto elapsed_ns = static_cast<double>(points[at].time_ns - points[at - 1].time_ns);
        json.Decimal(std::round(points[at].value * elapsed_ns / 100) / 10'000);
      }
    }
    json.EndArray();
    json.Number("length", points.size());
    json.EndObject();
    json.BeginObject("display");
    json.Text("graphType", is_level ? "line-accumulated" : "line-rate");
    json.Text("unit", is_level ? "bytes" : "percent");
    json.Text("color", row.colour);
    if (is_level) {
      json.Text("markerSchemaLocation", "timeline-memory");
    } else {
      json.Null("markerSchemaLocation");
    }
    json.Number("sortWeight", static_cast<uint64_t>(row.weight));
    json.Text("label", row.label);
    WriteTooltip(row, json);
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace jprof::firefox
