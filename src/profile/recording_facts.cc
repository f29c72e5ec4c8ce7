#include "profile/recording_facts.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "base/scaled_text.h"
#include "jfr/format/jfr_types.h"
#include "profile/class_text.h"

namespace jprof::profile {
namespace {

// Parses "10 ms" or a plain number of nanoseconds; returns 0 for other texts.
int64_t IntervalNanos(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return 0;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return number;
  for (const TimeUnit& unit : kTimeUnits) {
    if (rest == unit.name) {
      return number <= std::numeric_limits<int64_t>::max() / unit.nanos ? number * unit.nanos : 0;
    }
  }
  return 0;
}

constexpr std::string_view kJvm = JfrName(JfrType::kJVMInformation);
constexpr std::string_view kLibrary = JfrName(JfrType::kNativeLibrary);
constexpr std::string_view kSetting = JfrName(JfrType::kActiveSetting);
constexpr std::string_view kClassSource = JfrName(JfrType::kClassSource);
constexpr std::string_view kCounter = JfrName(JfrType::kCounter);
constexpr std::string_view kCalibration = JfrName(JfrType::kAllocationCalibration);
// The group of the objects that jprof itself allocates. They are included in the group "total", but
// have no allocation events.
constexpr std::string_view kOwnObjects = "probes of jprof";
constexpr std::string_view kAudit = JfrName(JfrType::kAuditedStacks);
constexpr std::string_view kVariable = "jdk.InitialEnvironmentVariable";

}  // namespace

bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t number,
                     Profile& profile) {
  SampleKind& kind = profile.kinds[number];
  if (name == "period" || name == "interval") {
    if (const int64_t interval_ns = IntervalNanos(value); interval_ns != 0) {
      kind.interval_ns = interval_ns;
    }
  } else if (name == "filter") {
    profile.filter = value;
  } else if (name == "request" && value == "0") {
    return true;
  } else if (name == "request" && value.size() == 1 && value[0] >= '1' && value[0] <= '9') {
    kind.request = value[0] - '0';
  }
  return false;
}

bool RecordingFacts::Wants(const RecordedType& type) {
  static constexpr std::string_view kTypes[] = {kJvm,     kLibrary,     kSetting,  kClassSource,
                                                kCounter, kCalibration, kVariable, kAudit};
  return std::find(std::begin(kTypes), std::end(kTypes), type.name) != std::end(kTypes);
}

void RecordingFacts::OnEvent(const JfrEvent& event) {
  const std::string_view type = event.type().name;
  if (type == kJvm) {
    profile_.jvm_version = event.Field("jvmVersion").String();
    profile_.java_arguments = event.Field("javaArguments").String();
    profile_.pid = event.Field("pid").Long();
  } else if (type == kLibrary) {
    OnLibrary(event);
  } else if (type == kSetting) {
    OnSetting(event);
  } else if (type == kClassSource) {
    OnClassSource(event);
  } else if (type == kCounter) {
    OnCounter(event);
  } else if (type == kCalibration) {
    OnCalibration(event);
  } else if (type == kAudit) {
    OnAudit(event);
  } else if (event.Field("key").String() == "HOSTNAME" && profile_.host_name.empty()) {
    profile_.host_name = event.Field("value").String();  // the JDK's recordings have this event
  }
}

void RecordingFacts::OnCalibration(const JfrEvent& event) {
  const std::string group = event.Field("group").String();
  const auto bytes = static_cast<double>(std::max<int64_t>(event.Field("exact").Long(), 0));
  if (group == "total") allocated_bytes_ += bytes;
  if (group == kOwnObjects) allocated_bytes_ -= bytes;
}

// Each event has the counts of its chunk.
void RecordingFacts::OnAudit(const JfrEvent& event) {
  if (!profile_.audit) profile_.audit.emplace();
  for (size_t i = 0; i < kAuditResults; ++i) {
    const int64_t count = event.Field(kAuditResultNames[i]).Long();
    // A damaged recording can have any number.
    constexpr int64_t kMost = int64_t{1} << 48;
    profile_.audit->by_result[i] += static_cast<uint64_t>(std::clamp<int64_t>(count, 0, kMost));
  }
}

void RecordingFacts::Finish() {
  for (SampleKind& kind : profile_.kinds) {
    if (kind.name != "alloc" || !kind.HasError() || allocated_bytes_ == 0) continue;
    const double off = static_cast<double>(kind.value) - allocated_bytes_;
    kind.summed_variance = kind.variance;
    kind.variance = off * off;
  }
}

void RecordingFacts::OnLibrary(const JfrEvent& event) {
  ProfileLibrary library;
  library.path = profile_.texts.NumberOf(event.Field("name").String());
  library.build_id = profile_.texts.NumberOf(event.Field("buildId").String());
  library.base = static_cast<uint64_t>(event.Field("baseAddress").Long());
  library.top = static_cast<uint64_t>(event.Field("topAddress").Long());
  profile_.AddLibrary(library);
}

// If several loaders define classes of the same name, the source file of the first one is used for
// all of them. Profile does not distinguish their methods either.
void RecordingFacts::OnClassSource(const JfrEvent& event) {
  const std::string file = event.Field("sourceFile").String();
  if (!IsSourceFileName(file)) return;
  const std::string name = ClassText(event.Field("definedClass").Field("name").String());
  profile_.AddSourceFile(profile_.texts.NumberOf(name), profile_.texts.NumberOf(file));
}

// Takes the number of windows that were recorded (--begin, --end). Each chunk has the number since
// the start of the recording, so the last number that is read is the total.
void RecordingFacts::OnCounter(const JfrEvent& event) {
  if (event.Field("name").String() != "windows") return;
  profile_.windows = static_cast<uint64_t>(event.Field("value").Long());
}

// Takes the name of the host from the setting `host`, which jprof adds to jdk.JVMInformation.
void RecordingFacts::OnSetting(const JfrEvent& event) {
  if (event.Field("name").String() != "host") return;
  profile_.host_name = event.Field("value").String();
}

}  // namespace jprof::profile
