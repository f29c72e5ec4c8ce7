#include "formats/firefox/facts.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "formats/credible_time.h"
#include "formats/json_writer.h"
#include "jfr/format/jfr_types.h"

namespace jprof::firefox {
namespace {

using profile::JfrEvent;

constexpr std::string_view kJvm = JfrName(JfrType::kJVMInformation);
constexpr std::string_view kOs = JfrName(JfrType::kOSInformation);
constexpr std::string_view kCpu = JfrName(JfrType::kCPUInformation);
constexpr std::string_view kMemory = "jdk.PhysicalMemory";
constexpr std::string_view kGc = "jdk.GCConfiguration";
constexpr std::string_view kSampleCount = JfrName(JfrType::kSampleCount);
constexpr std::string_view kWanted[] = {kJvm, kOs, kCpu, kMemory, kGc, kSampleCount};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns "JDK 25.0.3" for "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE
// (25.0.3+9-LTS), ...". Prefers the version after "JRE", because the VM of JDK 8 has a version
// number of its own. Searches for " (" with a blank, so that the search skips "Java HotSpot(TM)".
std::string JdkOf(const std::string& jvm_version) {
  const size_t runtime = jvm_version.find("JRE (");
  const size_t open = runtime != std::string::npos ? runtime + 4 : jvm_version.find(" (") + 1;
  const size_t end = jvm_version.find_first_of("+)-", open);
  if (open == 0 || end == std::string::npos) return jvm_version;
  return "JDK " + jvm_version.substr(open + 1, end - open - 1);
}

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

// For a counter of bytes, the front end takes the count of each point as a change of the level, but
// ignores the count of the first point. So Write inserts a point with the level 0, kBeforeFirstNs
// before the first recorded point. The first recorded level is then a change from the level 0.
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

bool Facts::Wants(const profile::RecordedType& type) {
  return std::find(std::begin(kWanted), std::end(kWanted), type.name) != std::end(kWanted);
}

void Facts::OnEvent(const profile::ProfileEvent& passed) {
  const JfrEvent& event = passed.event;
  const std::string_view type = event.type().name;
  if (type == kJvm) {
    jvm_name_ = event.Field("jvmName").String();
    jvm_arguments_ = event.Field("jvmArguments").String();
    jvm_flags_ = event.Field("jvmFlags").String();
  } else if (type == kOs) {
    os_ = FirstLine(event.Field("osVersion").String());
  } else if (type == kCpu) {
    cpu_ = FirstLine(event.Field("cpu").String());
    cores_ = event.Field("cores").Long();
    hardware_threads_ = event.Field("hwThreads").Long();
  } else if (type == kMemory) {
    memory_bytes_ = event.Field("totalSize").Long();
  } else if (type == kGc) {
    collectors_ =
        event.Field("youngCollector").String() + ", " + event.Field("oldCollector").String();
  } else if (type == kSampleCount) {
    int64_t& sum = outcomes_[{event.Field("kind").String(), event.Field("outcome").String()}];
    if (__builtin_add_overflow(sum, event.Field("intervals").Long(), &sum)) sum = INT64_MAX;
  }
}

void Facts::Write(const profile::Profile& profile, const FormatContext& context,
                  JsonWriter& json) const {
  json.Text("product", profile.ProgramName());
  const std::string jdk = JdkOf(profile.jvm_version);
  if (!jdk.empty()) json.Text("misc", jdk);
  if (!os_.empty()) json.Text("oscpu", os_);
  if (!cpu_.empty()) json.Text("CPUName", cpu_);
  if (hardware_threads_ > 0) json.Number("logicalCPUs", static_cast<uint64_t>(hardware_threads_));
  if (cores_ > 0) json.Number("physicalCPUs", static_cast<uint64_t>(cores_));
  if (memory_bytes_ > 0) json.Number("mainMemory", static_cast<uint64_t>(memory_bytes_));
  if (!profile.java_arguments.empty()) json.Text("arguments", profile.java_arguments);
  json.Text("importedFrom", context.title.empty() ? "jprof" : "jprof: " + context.title);
  WriteExtra(profile, context, json);
}

void Facts::WriteExtra(const profile::Profile& profile, const FormatContext& context,
                       JsonWriter& json) const {
  struct Fact {
    std::string label;
    std::string text;
    int64_t number = 0;  // used if the text is empty
  };
  const auto section = [&json](std::string_view label, const std::vector<Fact>& entries) {
    if (entries.empty()) return;
    json.BeginObject();
    json.Text("label", label);
    json.BeginArray("entries");
    for (const Fact& entry : entries) {
      json.BeginObject();
      json.Text("label", entry.label);
      json.Text("format", entry.text.empty() ? "integer" : "string");
      json.Key("value");
      entry.text.empty() ? json.Signed(entry.number) : json.Text(entry.text);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  };
  std::vector<Fact> jvm, recording, samples;
  const auto add = [](std::vector<Fact>& entries, const char* label, const std::string& text) {
    if (!text.empty()) entries.push_back({label, text});
  };
  add(jvm, "JVM", jvm_name_);
  add(jvm, "Version", profile.jvm_version);
  add(jvm, "Program", profile.java_arguments);
  add(jvm, "JVM arguments", jvm_arguments_);
  add(jvm, "JVM flags", jvm_flags_);
  add(jvm, "Collectors", collectors_);
  add(recording, "Selected threads", profile.filter);
  for (const std::string& part : context.selection) recording.push_back({"Selection", part});
  add(recording, "Missing", context.missing);
  for (const uint32_t number : profile.KindsInOrder()) {
    const profile::SampleKind& kind = profile.kinds[number];
    if (kind.samples != 0) {
      samples.push_back({kind.name + ": in this profile", "", static_cast<int64_t>(kind.samples)});
    }
  }
  for (const auto& [key, intervals] : outcomes_) {
    samples.push_back({key.first + ": " + key.second, "", intervals});
  }
  json.BeginArray("extra");
  section("Java", jvm);
  section("Recording", recording);
  section("Samples", samples);
  json.EndArray();
}

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
      } else {  // the share of all CPUs times the milliseconds since the previous point
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
