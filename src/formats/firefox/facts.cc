#include "formats/firefox/facts.h"

#include <algorithm>
#include <string_view>
#include <vector>

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
// (25.0.3+9-LTS), ...". Prefers the version after "JRE": the VM of JDK 8 has a version of its own.
// The blank in " (" skips "Java HotSpot(TM)".
std::string JdkOf(const std::string& jvm_version) {
  const size_t runtime = jvm_version.find("JRE (");
  const size_t open = runtime != std::string::npos ? runtime + 4 : jvm_version.find(" (") + 1;
  const size_t end = jvm_version.find_first_of("+)-", open);
  if (open == 0 || end == std::string::npos) return jvm_version;
  return "JDK " + jvm_version.substr(open + 1, end - open - 1);
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
    std::string text;    // or
    int64_t number = 0;  // if the text is empty
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

}  // namespace jprof::firefox
