// The writer of OpenTelemetry profiles, in the version v1development of the format. Used by one
// thread.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hex_text.h"
#include "formats/exchange/otlp_dictionary.h"
#include "formats/exchange/sample_sums.h"
#include "formats/format_table.h"
#include "formats/output_stream.h"

namespace jprof {
namespace {

using otlp::Dictionary;
using profile::ProfileLabel;
using profile::ProfileThread;
using profile::SampleKind;
using protozero::pbf_builder;

constexpr std::string_view kTraceId = "trace_id", kSpanId = "span_id";

// SampleType says what the values of samples mean. A kind can have several sample types; there is
// one profile for each of them.
struct SampleType {
  std::string_view type, unit;
  bool is_count;
};

// The properties that identify a sample. No two samples of a profile have equal identities.
struct Identity {
  std::vector<uint32_t> attributes;
  uint32_t link = 0;
  uint32_t stack = 0;
  auto operator<=>(const Identity&) const = default;
};

uint64_t Fnv1a(std::string_view text) {
  uint64_t hash = 0xCBF2'9CE4'8422'2325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
  return hash;
}

class Profiles {
 public:
  Profiles(const profile::Profile& profile, const SampleSums& sums)
      : profile_(profile), sums_(sums), dictionary_(profile) {}

  void Write(OutputStream& out) {
    std::string data;
    {
      pbf_builder<otlp::ProfilesData> message(data);
      {
        pbf_builder<otlp::ResourceProfiles> resource_profiles(
            message, otlp::ProfilesData::kResourceProfiles);
        WriteResource(resource_profiles);
        pbf_builder<otlp::ScopeProfiles> scope_profiles(resource_profiles,
                                                        otlp::ResourceProfiles::kScopeProfiles);
        {
          pbf_builder<otlp::Scope> scope(scope_profiles, otlp::ScopeProfiles::kScope);
          scope.add_string(otlp::Scope::kName, "jprof");
        }
        WriteProfiles(scope_profiles);
      }
      message.add_message(otlp::ProfilesData::kDictionary, dictionary_.Message());
    }
    out.Text(data);
  }

 private:
  template <class Value>
  static void AddAttribute(pbf_builder<otlp::Resource>& resource, std::string_view key,
                           const Value& value) {
    pbf_builder<otlp::KeyValue> attribute(resource, otlp::Resource::kAttributes);
    attribute.add_string(otlp::KeyValue::kKey, key.data(), key.size());
    pbf_builder<otlp::AnyValue> any(attribute, otlp::KeyValue::kValue);
    if constexpr (std::is_integral_v<Value>) {
      any.add_int64(otlp::AnyValue::kInt, value);
    } else {
      any.add_string(otlp::AnyValue::kString, value);
    }
  }

  void WriteResource(pbf_builder<otlp::ResourceProfiles>& resource_profiles) const {
    pbf_builder<otlp::Resource> resource(resource_profiles, otlp::ResourceProfiles::kResource);
    AddAttribute(resource, "service.name", profile_.ProgramName());
    if (!profile_.host_name.empty()) AddAttribute(resource, "host.name", profile_.host_name);
    if (profile_.pid > 0) AddAttribute(resource, "process.pid", profile_.pid);
    if (!profile_.java_arguments.empty()) {
      AddAttribute(resource, "process.command_line", profile_.java_arguments);
    }
    if (profile_.jvm_version.empty()) return;
    // "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 ..."
    const size_t open = profile_.jvm_version.find(" (");
    const size_t close = profile_.jvm_version.find(')', open);
    AddAttribute(resource, "process.runtime.name", profile_.jvm_version.substr(0, open));
    if (close != std::string::npos) {
      AddAttribute(resource, "process.runtime.version",
                   profile_.jvm_version.substr(open + 2, close - open - 2));
    }
  }

  void WriteProfiles(pbf_builder<otlp::ScopeProfiles>& scope_profiles) {
    bool has_profile = false;
    for (const uint32_t number : profile_.KindsInOrder()) {
      const SampleKind& kind = profile_.kinds[number];
      if (kind.samples == 0) continue;
      has_profile = true;
      const ValueTypes types(kind);
      if (!types.value.empty()) {
        WriteProfile(scope_profiles, number, types, {types.value, types.unit, false});
      }
      if (!types.is_interval) {
        WriteProfile(scope_profiles, number, types, {types.count, "count", true});
      }
    }
    // Every scope must have a profile. If no kind has samples, an empty profile is written.
    if (has_profile) return;
    pbf_builder<otlp::Profile> profile(scope_profiles, otlp::ScopeProfiles::kProfiles);
    WriteValueType(profile, otlp::Profile::kSampleType, {"samples", "count", true});
    WriteValueType(profile, otlp::Profile::kPeriodType, {"samples", "count", true});
    WriteTimes(profile);
    WriteId(profile, 0, {"samples", "count", true});
  }

  void WriteProfile(pbf_builder<otlp::ScopeProfiles>& scope_profiles, uint32_t number,
                    const ValueTypes& types, const SampleType& type) {
    const SampleKind& kind = profile_.kinds[number];
    pbf_builder<otlp::Profile> profile(scope_profiles, otlp::ScopeProfiles::kProfiles);
    WriteValueType(profile, otlp::Profile::kSampleType, type);
    // Merges all sums with equal identities into one, so threads that look the same in the output
    // are merged. Keeps the order in which the identities first occur.
    std::map<Identity, size_t> places;
    std::vector<std::pair<const Identity*, uint64_t>> samples;
    for (const SampleSums::StackSum& sum : sums_.sums()) {
      const SampleSums::Group& group = sums_.groups()[sum.group];
      if (group.kind != number) continue;
      const auto [entry, is_new] =
          places.try_emplace(IdentityOf(sum.group, sum.stack), samples.size());
      if (is_new) samples.emplace_back(&entry->first, 0);
      samples[entry->second].second += type.is_count
                                           ? ValueTypes::CountOf(kind, sum.samples, sum.objects)
                                           : types.ValueOf(kind, sum.samples, sum.value);
    }
    for (const auto& [identity, value] : samples) {
      pbf_builder<otlp::Sample> sample(profile, otlp::Profile::kSamples);
      sample.add_uint32(otlp::Sample::kStack, identity->stack);
      sample.add_packed_uint32(otlp::Sample::kAttributes, identity->attributes.begin(),
                               identity->attributes.end());
      if (identity->link != 0) sample.add_uint32(otlp::Sample::kLink, identity->link);
      const auto number_of_value = static_cast<int64_t>(value);
      sample.add_packed_int64(otlp::Sample::kValues, &number_of_value, &number_of_value + 1);
    }
    WriteTimes(profile);
    WriteId(profile, number, type);
    WriteValueType(profile, otlp::Profile::kPeriodType, type);
    profile.add_int64(otlp::Profile::kPeriod,
                      type.is_count ? 1 : static_cast<int64_t>(types.PeriodOf(kind)));
  }

  void WriteTimes(pbf_builder<otlp::Profile>& profile) const {
    const RecordedSpan span(profile_);
    profile.add_fixed64(otlp::Profile::kTimeUnixNano, static_cast<uint64_t>(span.start_ns));
    profile.add_uint64(otlp::Profile::kDurationNano, static_cast<uint64_t>(span.duration_ns));
  }

  // Writes an id of 16 bytes, which is a hash of the facts and sums of the recording. Equal
  // profiles have equal ids, so that a receiver can recognize a file that is sent twice.
  void WriteId(pbf_builder<otlp::Profile>& profile, uint32_t kind, const SampleType& type) const {
    const RecordedSpan span(profile_);
    std::string text = profile_.host_name + '\n' + profile_.java_arguments + '\n' +
                       std::to_string(kind) + '\n' + std::string(type.type) + '\n' +
                       std::string(type.unit);
    for (const int64_t number : {profile_.pid, span.start_ns, span.duration_ns}) {
      text += '\n' + std::to_string(number);
    }
    for (const SampleKind& each : profile_.kinds) {
      text +=
          '\n' + each.name + ' ' + std::to_string(each.samples) + ' ' + std::to_string(each.value);
    }
    std::string id;
    for (const uint64_t half : {Fnv1a(text), Fnv1a(text + '\n')}) {
      for (int shift = 0; shift < 64; shift += 8) id += static_cast<char>(half >> shift);
    }
    profile.add_bytes(otlp::Profile::kProfileId, id);
  }

  void WriteValueType(pbf_builder<otlp::Profile>& profile, otlp::Profile field,
                      const SampleType& type) {
    pbf_builder<otlp::ValueType> message(profile, field);
    message.add_uint32(otlp::ValueType::kType, dictionary_.Text(type.type));
    message.add_uint32(otlp::ValueType::kUnit, dictionary_.Text(type.unit));
  }

  Identity IdentityOf(uint32_t group, uint32_t stack) {
    if (of_group_.size() <= group) of_group_.resize(group + 1);
    if (!of_group_[group]) of_group_[group] = IdentityOfGroup(sums_.groups()[group]);
    Identity identity = *of_group_[group];
    identity.stack = dictionary_.Stack(stack);
    if (const auto of_class = profile_.ClassOf(stack)) {
      identity.attributes.push_back(dictionary_.Attribute("class", profile_.MethodText(*of_class)));
    }
    return identity;
  }

  // Returns what the identities of all samples of a group have in common. The stack is missing, and
  // so is the attribute "class", which depends on the stack.
  Identity IdentityOfGroup(const SampleSums::Group& group) {
    Identity identity;
    const auto add = [&](std::string_view key, const auto& value) {
      identity.attributes.push_back(dictionary_.Attribute(key, value));
    };
    const ProfileThread& thread = profile_.threads()[group.thread];
    const std::string& name = profile_.ThreadName(group.thread);
    if (!name.empty()) add("thread.name", name);
    if (const int64_t id = thread.id(); id != 0) {
      add("thread.id", id);
    }
    if (const std::string& state = profile_.states[group.state]; !state.empty()) {
      add("thread.state", state);
    }
    identity.link = LinkOf(profile_.label_sets()[group.labels]);
    for (const ProfileLabel& label : profile_.label_sets()[group.labels]) {
      const std::string& key = profile_.texts[label.key];
      const bool is_linked = identity.link != 0 && (key == kTraceId || key == kSpanId);
      if (!is_linked) add(key, profile_.texts[label.value]);
    }
    return identity;
  }

  uint32_t LinkOf(const std::vector<ProfileLabel>& labels) {
    std::string trace, span;
    for (const ProfileLabel& label : labels) {
      const std::string& key = profile_.texts[label.key];
      if (key == kTraceId) trace = profile_.texts[label.value];
      if (key == kSpanId) {
        span = label.number ? HexText(static_cast<uint64_t>(*label.number))
                            : profile_.texts[label.value];
      }
    }
    return dictionary_.Link(trace, span);
  }

  const profile::Profile& profile_;
  const SampleSums& sums_;
  Dictionary dictionary_;
  std::vector<std::optional<Identity>> of_group_;
};

class OtlpWriter : public FormatWriter {
 public:
  void OnSample(const profile::Sample& sample) override { sums_.Add(sample); }

  Status Write(const profile::Profile& profile, const FormatContext& /*context*/,
               OutputStream& out) override {
    sums_.Finish();
    Profiles(profile, sums_).Write(out);
    return {};
  }

 private:
  SampleSums sums_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeOtlpWriter(const FormatOptions& /*options*/) {
  return std::make_unique<OtlpWriter>();
}

}  // namespace jprof
