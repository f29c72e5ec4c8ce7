#include "profile/analysis/event_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <optional>

#include "base/modified_utf8.h"
#include "base/scaled_text.h"
#include "jfr/format/jfr_types.h"
#include "profile/class_text.h"

namespace jprof::profile {
namespace {

constexpr int kMaxDepth = 4;  // the maximum depth of structs within structs
// Fields of this type are not shown. jprof writes such a field before the fields that it appends to
// an event of the JDK, for the sake of some readers (jfr/format/jfr_types.def).
constexpr std::string_view kOnlyForReaders = JfrName(JfrType::kAppended);
constexpr uint64_t kMaxElements = 20;  // the maximum number of elements of an array in its text

// The fields that are members of ProfileEvent.
constexpr std::array<std::string_view, 4> kKnownFields = {"startTime", "duration", "eventThread",
                                                          "stackTrace"};

ValueForm FormOf(const JfrSchema& schema, const JfrField& field) {
  if (field.in_pool || field.is_array) return ValueForm::kText;
  switch (schema.type(field.type).primitive) {
    case JfrPrimitive::kNone:
    case JfrPrimitive::kString:
    case JfrPrimitive::kChar:
      return ValueForm::kText;
    case JfrPrimitive::kBoolean:
      return ValueForm::kBoolean;
    default:
      break;
  }
  switch (field.unit) {
    case JfrUnit::kTicks:
    case JfrUnit::kEpochMillis:
      return ValueForm::kTime;
    case JfrUnit::kTickDuration:
    case JfrUnit::kNanos:
    case JfrUnit::kMicros:
    case JfrUnit::kMillis:
    case JfrUnit::kSeconds:
      return ValueForm::kDuration;
    case JfrUnit::kBytes:
      return ValueForm::kBytes;
    case JfrUnit::kAddress:
      return ValueForm::kAddress;
    case JfrUnit::kPercentage:
      return ValueForm::kFraction;
    case JfrUnit::kNone:
      break;
  }
  return ValueForm::kNumber;
}

bool IsInlineStruct(const JfrSchema& schema, const JfrField& field) {
  return !field.in_pool && !field.is_array &&
         schema.type(field.type).primitive == JfrPrimitive::kNone;
}

std::string Rounded(double number, int decimals) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return {text, static_cast<size_t>(std::clamp<int>(length, 0, sizeof text - 1))};
}

std::string AddressText(int64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

// Returns a text such as "2026-11-23T12:00:05.123+01:00", which the options --from and --until
// accept. The fraction is cut and not rounded, so that a window which starts at this time contains
// the event.
std::string TimeText(double nanos) {
  // As a double, a time in nanoseconds since 1970 has an error of at most 128 ns.
  constexpr double kNearMillis = 1.3e-4;
  const auto millis = static_cast<int64_t>(std::floor(nanos / 1e6 + kNearMillis));
  const int64_t fraction = (millis % 1000 + 1000) % 1000;
  const auto seconds = static_cast<time_t>((millis - fraction) / 1000);
  tm parts{};
  char time[64], zone[16];
  if (localtime_r(&seconds, &parts) == nullptr) return {};
  const size_t length = std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S.", &parts);
  std::string text(time, length);
  text += std::to_string(1000 + fraction).substr(1);
  const size_t zone_length = std::strftime(zone, sizeof zone, "%z", &parts);
  text.append(zone, zone_length);
  if (zone_length == 5) text.insert(text.size() - 2, 1, ':');
  return text;
}

// Returns a number without a unit, such as "1e+300" or "-Infinity".
std::string RealText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

// True if TextOf cannot show `number`, because it has no text for it, would cap it (too large) or
// would show 0 (too small).
bool NeedsRealText(ValueForm form, double number) {
  constexpr double kLargest = 9.2e18, kSmallest = 1e-3;
  const double size = std::fabs(number);
  return !(size < kLargest) || (form == ValueForm::kNumber && size != 0 && size < kSmallest);
}

// Returns a Java char as text. Half of a surrogate pair becomes a replacement character.
std::string CharText(uint16_t unit) {
  std::string text;
  AppendUtf8(text, unit);
  return Utf8FromModifiedUtf8(text);
}

// Returns the number of nanoseconds in one `unit`, a unit of time. Used for values that are not
// integers.
double NanosIn(JfrUnit unit) {
  switch (unit) {
    case JfrUnit::kMicros:
      return 1e3;
    case JfrUnit::kMillis:
    case JfrUnit::kEpochMillis:
      return 1e6;
    case JfrUnit::kSeconds:
      return 1e9;
    default:
      return 1;
  }
}

uint64_t UnsignedOf(JfrPrimitive primitive, int64_t value) {
  switch (primitive) {
    case JfrPrimitive::kByte:
      return static_cast<uint8_t>(value);
    case JfrPrimitive::kShort:
      return static_cast<uint16_t>(value);
    case JfrPrimitive::kInt:
      return static_cast<uint32_t>(value);
    default:
      return static_cast<uint64_t>(value);
  }
}

// Returns the text of a value that is a string, a constant or an element of an array. REQUIRES:
// `value` is not empty.
std::string TextOfStruct(const JfrSchema& schema, const JfrValue& value) {
  const std::string_view type = schema.type(value.field().type).name;
  if (type == "java.lang.Thread") {
    const std::string java_name = value.Field("javaName").String();
    return java_name.empty() ? value.Field("osName").String() : java_name;
  }
  if (type == "java.lang.Class") return ClassText(value.Field("name").String());
  if (type == JfrName(JfrType::kMethod)) return MethodText(value);
  if (type == JfrName(JfrType::kStackTrace)) return StackText(value);
  std::string text = value.WholeString();
  return text.empty() ? value.Field("name").String() : text;
}

std::string TextOfArray(const JfrSchema& schema, const JfrValue& value) {
  std::string text;
  const uint64_t count = value.ElementCount();
  for (uint64_t i = 0; i < std::min(count, kMaxElements); ++i) {
    const JfrValue element = value.Element(i);
    if (!element) break;  // the event has fewer elements than it declares
    if (i != 0) text += ", ";
    const JfrPrimitive primitive = schema.type(element.field().type).primitive;
    const bool is_text = primitive == JfrPrimitive::kNone || primitive == JfrPrimitive::kString;
    text += is_text ? TextOfStruct(schema, element) : std::to_string(element.Long());
  }
  return count > kMaxElements ? text + ", ..." : text;
}

// Returns the value to show if a time or duration is the lowest or the highest possible long. The
// JDK writes the lowest for "none" and the highest for "forever". Returns nullopt for all other
// values.
std::optional<EventValue> Special(ValueForm form, int64_t value) {
  if (form != ValueForm::kTime && form != ValueForm::kDuration) return std::nullopt;
  using Limits = std::numeric_limits<double>;
  if (value == std::numeric_limits<int64_t>::min()) return EventValue{"", Limits::quiet_NaN()};
  if (value == std::numeric_limits<int64_t>::max()) {
    return EventValue{"forever", Limits::infinity()};
  }
  return std::nullopt;
}

EventValue ValueOf(const JfrSchema& schema, const JfrField& field, const JfrValue& value) {
  if (!value) return {};
  const ValueForm form = FormOf(schema, field);
  if (field.is_array) return {TextOfArray(schema, value), 0};
  if (form == ValueForm::kText) {
    if (!field.in_pool && schema.type(field.type).primitive == JfrPrimitive::kChar) {
      return {CharText(static_cast<uint16_t>(value.Long())), 0};
    }
    return {TextOfStruct(schema, value), 0};
  }
  const JfrPrimitive primitive = schema.type(field.type).primitive;
  const bool is_real = primitive == JfrPrimitive::kFloat || primitive == JfrPrimitive::kDouble;
  const bool is_time = form == ValueForm::kTime || form == ValueForm::kDuration;
  if (is_real) {
    const double real = value.Double() * (is_time ? NanosIn(field.unit) : 1);
    return {NeedsRealText(form, real) ? RealText(real) : TextOf(form, real), real};
  }
  if (form == ValueForm::kAddress) {
    return {AddressText(value.Long()), static_cast<double>(value.Long())};
  }
  if (const std::optional<EventValue> special = Special(form, value.Long())) return *special;
  if (field.is_unsigned && !is_time) {
    const uint64_t whole = UnsignedOf(primitive, value.Long());
    const auto number = static_cast<double>(whole);
    const bool is_plain = form == ValueForm::kNumber || NeedsRealText(form, number);
    return {is_plain ? std::to_string(whole) : TextOf(form, number), number};
  }
  const int64_t whole = is_time ? value.Nanos() : value.Long();
  const auto number = static_cast<double>(whole);
  return {form == ValueForm::kNumber ? std::to_string(whole) : TextOf(form, number), number};
}

// Calls visit(field, name) for every column of the type. If the type is a struct in a field,
// `prefix` is the name of this field and a dot; else it is empty.
template <class Visit>
void ForEachColumn(const JfrSchema& schema, const RecordedType& type, const std::string& prefix,
                   int depth, size_t* count, const Visit& visit) {
  if (!type.is_readable) return;
  for (const JfrField& field : type.fields) {
    if (*count == kMaxColumns) return;
    const bool is_known = depth == 0 && std::find(kKnownFields.begin(), kKnownFields.end(),
                                                  field.name) != kKnownFields.end();
    if (is_known) continue;
    const std::string name = prefix + std::string(field.name);
    if (IsInlineStruct(schema, field)) {
      const RecordedType& inner = schema.type(field.type);
      if (depth < kMaxDepth && inner.name != kOnlyForReaders) {
        ForEachColumn(schema, inner, name + ".", depth + 1, count, visit);
      }
      continue;
    }
    ++*count;
    visit(field, name);
  }
}

JfrValue ValueAt(const JfrEvent& event, const std::string& path) {
  size_t at = path.find('.');
  JfrValue value = event.Field(path.substr(0, at));
  while (at != std::string::npos) {
    const size_t end = path.find('.', at + 1);
    value = value.Field(path.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  return value;
}

}  // namespace

std::vector<EventColumn> ColumnsOf(const JfrSchema& schema, const RecordedType& type) {
  std::vector<EventColumn> columns;
  size_t count = 0;
  ForEachColumn(schema, type, "", 0, &count, [&](const JfrField& field, const std::string& name) {
    columns.push_back(
        {name, field.label.empty() ? name : std::string(field.label), FormOf(schema, field)});
  });
  return columns;
}

std::vector<EventValue> ValuesOf(const ProfileEvent& event) {
  std::vector<EventValue> values;
  const JfrSchema& schema = event.event.chunk().schema;
  size_t count = 0;
  ForEachColumn(schema, event.event.type(), "", 0, &count,
                [&](const JfrField& field, const std::string& name) {
                  values.push_back(ValueOf(schema, field, ValueAt(event.event, name)));
                });
  return values;
}

std::string MethodText(const JfrValue& method) {
  return ClassText(method.Field("type").Field("name").String()) + "." +
         method.Field("name").String();
}

std::string StackText(const JfrValue& stack) {
  constexpr uint64_t kMostFrames = 64;  // frames that are read
  constexpr size_t kMostNamed = 3;
  const JfrValue frames = stack.Field("frames");
  const uint64_t count = std::min(frames.ElementCount(), kMostFrames);
  std::array<std::string, 2> texts;  // outside the JDK, and of the JDK
  std::array<size_t, 2> named = {};
  for (uint64_t i = 0; i < count && named[0] < kMostNamed; ++i) {
    const JfrValue frame = frames.Element(i);
    if (!frame) break;
    const std::string kind = frame.Field("type").String();
    const JfrValue method = frame.Field("method");
    if (kind == "Native" || kind == "C++" || kind == "Kernel" || !method) continue;
    const bool is_of_jdk = IsOfJdk(ClassText(method.Field("type").Field("name").String()));
    if (is_of_jdk && named[0] != 0) break;
    const size_t row = is_of_jdk ? 1 : 0;
    if (named[row]++ >= kMostNamed) continue;
    texts[row] += (texts[row].empty() ? "" : " <- ") + MethodText(method);
  }
  return texts[0].empty() ? texts[1] : texts[0];
}

std::string LabelOf(const RecordedType& type) {
  return std::string(type.label.empty() ? type.name : type.label);
}

std::string TextOf(ValueForm form, double number) {
  if (!std::isfinite(number)) return {};
  constexpr double kMost = 9.2e18;  // less than the largest int64_t
  number = std::clamp(number, -kMost, kMost);
  switch (form) {
    case ValueForm::kText:
      return {};
    case ValueForm::kBoolean:
      return number == 0 ? "false" : "true";
    case ValueForm::kTime:
      return TimeText(number);
    case ValueForm::kDuration:
      return RoundedDurationText(number);
    case ValueForm::kBytes:
      return SizeText(number);
    case ValueForm::kFraction:
      return Rounded(number * 100, 2) + " %";
    case ValueForm::kAddress:
      return AddressText(static_cast<int64_t>(number));
    case ValueForm::kNumber:
      break;
  }
  return Rounded(number, number == std::floor(number) ? 0 : 3);
}

}  // namespace jprof::profile
