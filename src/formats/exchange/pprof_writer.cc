// The writer of profile.proto, the format of `go tool pprof`. Used by one thread.
#include <algorithm>
#include <memory>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/exchange/code_locations.h"
#include "formats/exchange/sample_sums.h"
#include "formats/format_table.h"
#include "formats/output_stream.h"

namespace jprof {
namespace {

// The numbers of the fields of google/pprof proto/profile.proto that jprof writes.
namespace pprof {

enum class Profile : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
};
enum class ValueType : uint32_t { kType = 1, kUnit = 2 };
enum class Sample : uint32_t { kLocationId = 1, kValue = 2, kLabel = 3 };
enum class Label : uint32_t { kKey = 1, kText = 2, kNumber = 3 };
enum class Mapping : uint32_t {
  kId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFilename = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFilenames = 8,
  kHasLineNumbers = 9,
  kHasInlineFrames = 10,
};
enum class Location : uint32_t { kId = 1, kMappingId = 2, kLine = 4 };
enum class Line : uint32_t { kFunctionId = 1, kLine = 2 };
enum class Function : uint32_t { kId = 1, kName = 2, kSystemName = 3, kFilename = 4 };

}  // namespace pprof

using profile::ProfileFrame;
using profile::ProfileLabel;
using profile::ProfileMethod;
using profile::ProfileThread;
using profile::SampleKind;
using protozero::pbf_builder;

// Message writes one message of type Profile. The ids of entries are numbers from 1, in the order
// in which samples first refer to them.
class Message {
 public:
  Message(const profile::Profile& profile, const FormatContext& context, OutputStream& out)
      : profile_(profile),
        context_(context),
        out_(out),
        locations_(profile),
        mappings_(profile),
        location_ids_(locations_.size()),
        function_ids_(profile.methods().size()) {
    Text("");  // the format requires that text 0 is empty
  }

  void Write(const SampleSums& sums) {
    if (context_.kind) WriteKind(profile_.kinds[*context_.kind], sums);
    WriteLocations();
    WriteFunctions();
    WriteMappings();
    const RecordedSpan span(profile_);
    Number(pprof::Profile::kTimeNanos, span.start_ns);
    Number(pprof::Profile::kDurationNanos, span.duration_ns);
    WriteComments();
    for (size_t i = 0; i < texts_.size(); ++i) {
      Start().add_string(pprof::Profile::kStringTable, texts_[static_cast<uint32_t>(i)]);
      Flush();
    }
  }

 private:
  int64_t Text(std::string_view text) { return texts_.NumberOf(text); }

  // Starts a part of the message. Parts are written one after the other, because a protobuf message
  // is the concatenation of its parts.
  pbf_builder<pprof::Profile> Start() { return pbf_builder<pprof::Profile>(part_); }
  void Flush() {
    out_.Text(part_);
    part_.clear();
  }
  void Number(pprof::Profile field, int64_t number) {
    Start().add_int64(field, number);
    Flush();
  }

  void WriteValueType(pprof::Profile field, std::string_view type, std::string_view unit) {
    {
      auto profile = Start();
      pbf_builder<pprof::ValueType> message(profile, field);
      message.add_int64(pprof::ValueType::kType, Text(type));
      message.add_int64(pprof::ValueType::kUnit, Text(unit));
    }
    Flush();
  }

  void WriteKind(const SampleKind& kind, const SampleSums& sums) {
    const ValueTypes types(kind);
    const bool has_value = !types.value.empty();
    WriteValueType(pprof::Profile::kSampleType, types.count, "count");
    if (has_value) WriteValueType(pprof::Profile::kSampleType, types.value, types.unit);
    for (const SampleSums::StackSum& sum : sums.sums()) {
      if (sums.groups()[sum.group].kind == *context_.kind) {
        WriteSample(kind, types, sums.groups()[sum.group], sum);
      }
    }
    const bool is_timed = types.is_interval || types.PeriodOf(kind) != 1 || types.unit == "bytes";
    WriteValueType(pprof::Profile::kPeriodType, is_timed ? types.value : types.count,
                   is_timed ? types.unit : "count");
    Number(pprof::Profile::kPeriod, static_cast<int64_t>(types.PeriodOf(kind)));
    Number(pprof::Profile::kDefaultSampleType, Text(has_value ? types.value : types.count));
  }

  void WriteSample(const SampleKind& kind, const ValueTypes& types, const SampleSums::Group& group,
                   const SampleSums::StackSum& sum) {
    {
      ids_.clear();
      locations_.ForEach(sum.stack, [this](uint32_t location) { ids_.push_back(IdOf(location)); });
      auto profile = Start();
      pbf_builder<pprof::Sample> sample(profile, pprof::Profile::kSample);
      sample.add_packed_uint64(pprof::Sample::kLocationId, ids_.begin(), ids_.end());
      const int64_t values[] = {
          static_cast<int64_t>(ValueTypes::CountOf(kind, sum.samples, sum.objects)),
          static_cast<int64_t>(types.ValueOf(kind, sum.samples, sum.value))};
      sample.add_packed_int64(pprof::Sample::kValue, values,
                              types.value.empty() ? values + 1 : values + 2);
      WriteLabels(sample, group, sum.stack);
    }
    Flush();
  }

  void WriteLabels(pbf_builder<pprof::Sample>& sample, const SampleSums::Group& group,
                   uint32_t stack) {
    const ProfileThread& thread = profile_.threads()[group.thread];
    AddLabel(sample, "thread", profile_.ThreadName(group.thread));
    AddLabel(sample, "thread_id", thread.id());
    AddLabel(sample, "thread_state", profile_.states[group.state]);
    if (const auto of_class = profile_.ClassOf(stack)) {
      AddLabel(sample, "class", profile_.MethodText(*of_class));
    }
    for (const ProfileLabel& label : profile_.label_sets()[group.labels]) {
      AddLabel(sample, profile_.texts[label.key], profile_.texts[label.value]);
    }
  }

  void AddLabel(pbf_builder<pprof::Sample>& sample, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    pbf_builder<pprof::Label> label(sample, pprof::Sample::kLabel);
    label.add_int64(pprof::Label::kKey, Text(key));
    label.add_int64(pprof::Label::kText, Text(text));
  }
  void AddLabel(pbf_builder<pprof::Sample>& sample, std::string_view key, int64_t number) {
    if (number == 0) return;
    pbf_builder<pprof::Label> label(sample, pprof::Sample::kLabel);
    label.add_int64(pprof::Label::kKey, Text(key));
    label.add_int64(pprof::Label::kNumber, number);
  }

  static uint64_t Number(std::vector<uint64_t>& ids, std::vector<uint32_t>& used, uint32_t thing) {
    if (ids[thing] == 0) {
      used.push_back(thing);
      ids[thing] = used.size();
    }
    return ids[thing];
  }
  uint64_t IdOf(uint32_t location) { return Number(location_ids_, used_locations_, location); }
  uint64_t FunctionOf(uint32_t method) { return Number(function_ids_, used_functions_, method); }

  void WriteLocations() {
    for (const uint32_t number : used_locations_) {
      {
        auto profile = Start();
        pbf_builder<pprof::Location> location(profile, pprof::Profile::kLocation);
        location.add_uint64(pprof::Location::kId, IdOf(number));
        uint32_t mapping = 0;
        locations_.ForEachFrame(number, [&](uint32_t frame_number) {
          const ProfileFrame& frame = profile_.frames()[frame_number];
          mapping = mappings_.Of(frame);
          pbf_builder<pprof::Line> line(location, pprof::Location::kLine);
          line.add_uint64(pprof::Line::kFunctionId, FunctionOf(frame.method));
          if (frame.line > 0) line.add_int64(pprof::Line::kLine, frame.line);
        });
        location.add_uint64(pprof::Location::kMappingId, mapping + 1);
      }
      Flush();
    }
  }

  void WriteFunctions() {
    for (const uint32_t number : used_functions_) {
      const ProfileMethod& method = profile_.methods()[number];
      const std::string name = FunctionName(profile_, number);
      const std::string& descriptor = profile_.texts[method.descriptor];
      const bool is_method = !descriptor.empty() && descriptor.front() == '(';
      {
        auto profile = Start();
        pbf_builder<pprof::Function> function(profile, pprof::Profile::kFunction);
        function.add_uint64(pprof::Function::kId, FunctionOf(number));
        function.add_int64(pprof::Function::kName, Text(name));
        function.add_int64(pprof::Function::kSystemName,
                           Text(is_method ? name + descriptor : name));
        if (is_method) {
          function.add_int64(pprof::Function::kFilename, Text(profile_.SourcePathOfMethod(number)));
        }
      }
      Flush();
    }
  }

  void WriteMappings() {
    for (size_t i = 0; i < mappings_.all().size(); ++i) {
      const Mappings::Mapping& mapping = mappings_.all()[i];
      {
        auto profile = Start();
        pbf_builder<pprof::Mapping> message(profile, pprof::Profile::kMapping);
        message.add_uint64(pprof::Mapping::kId, i + 1);
        message.add_uint64(pprof::Mapping::kMemoryStart, mapping.base);
        message.add_uint64(pprof::Mapping::kMemoryLimit, mapping.top);
        message.add_int64(pprof::Mapping::kFilename, Text(mapping.path));
        message.add_int64(pprof::Mapping::kBuildId, Text(mapping.build_id));
        // Tells readers that the message contains all names, so that they do not look for symbols.
        message.add_bool(pprof::Mapping::kHasFunctions, true);
        message.add_bool(pprof::Mapping::kHasFilenames, mapping.is_java);
        message.add_bool(pprof::Mapping::kHasLineNumbers, mapping.is_java);
        message.add_bool(pprof::Mapping::kHasInlineFrames, mapping.is_java);
      }
      Flush();
    }
  }

  void WriteComments() {
    std::vector<std::string> comments;
    if (!profile_.java_arguments.empty()) comments.push_back("program: " + profile_.java_arguments);
    if (!profile_.jvm_version.empty()) comments.push_back("JVM: " + profile_.jvm_version);
    for (const std::string& part : context_.selection) comments.push_back("selection: " + part);
    if (!context_.missing.empty()) comments.push_back("missing: " + context_.missing);
    for (const std::string& comment : comments) Number(pprof::Profile::kComment, Text(comment));
  }

  const profile::Profile& profile_;
  const FormatContext& context_;
  OutputStream& out_;
  const CodeLocations locations_;
  Mappings mappings_;
  profile::TextTable texts_;
  std::vector<uint64_t> location_ids_, function_ids_;  // 0 if no id is assigned yet
  std::vector<uint32_t> used_locations_, used_functions_;
  std::vector<uint64_t> ids_;  // location ids of the sample being written
  std::string part_;
};

class PprofWriter : public FormatWriter {
 public:
  void OnSample(const profile::Sample& sample) override { sums_.Add(sample); }

  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) override {
    sums_.Finish();
    Message(profile, context, out).Write(sums_);
    return {};
  }

 private:
  SampleSums sums_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakePprofWriter(const FormatOptions& /*options*/) {
  return std::make_unique<PprofWriter>();
}

}  // namespace jprof
