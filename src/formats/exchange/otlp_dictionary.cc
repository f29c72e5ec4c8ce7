#include "formats/exchange/otlp_dictionary.h"

#include <optional>
#include <protozero/pbf_builder.hpp>

namespace jprof::otlp {
namespace {

using profile::FrameKind;
using profile::ProfileFrame;
using profile::ProfileMethod;
using profile::TextTable;
using protozero::pbf_builder;

constexpr size_t kTraceIdBytes = 16, kSpanIdBytes = 8;

std::optional<std::string> BytesOfHex(std::string_view hex, size_t count) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  if (hex.size() != 2 * count) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    if (digit(hex[i]) < 0 || digit(hex[i + 1]) < 0) return std::nullopt;
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

std::string_view FrameType(const profile::Profile& profile, const ProfileFrame& frame) {
  if (frame.kind == FrameKind::kKernel) return "kernel";
  return profile.IsNative(frame.method) ? "native" : "jvm";
}

}  // namespace

Dictionary::Dictionary(const profile::Profile& profile)
    : profile_(profile),
      code_(profile),
      mapping_of_frame_(profile),
      of_stack_(profile.stacks.size()),
      of_location_(code_.size()),
      of_method_(profile.methods().size()) {
  for (TextTable* table :
       {&strings_, &mappings_, &locations_, &functions_, &links_, &attributes_, &stacks_}) {
    table->NumberOf("");
  }
}

uint32_t Dictionary::Attribute(std::string_view key, std::string_view value) {
  std::string bytes;
  {
    pbf_builder<otlp::Attribute> message(bytes);
    message.add_uint32(otlp::Attribute::kKey, Text(key));
    pbf_builder<AnyValue> any(message, otlp::Attribute::kValue);
    any.add_string(AnyValue::kString, value.data(), value.size());
  }
  return attributes_.NumberOf(bytes);
}

uint32_t Dictionary::Attribute(std::string_view key, int64_t value) {
  std::string bytes;
  {
    pbf_builder<otlp::Attribute> message(bytes);
    message.add_uint32(otlp::Attribute::kKey, Text(key));
    pbf_builder<AnyValue> any(message, otlp::Attribute::kValue);
    any.add_int64(AnyValue::kInt, value);
  }
  return attributes_.NumberOf(bytes);
}

uint32_t Dictionary::Link(std::string_view trace_id, std::string_view span_id) {
  const std::optional<std::string> trace = BytesOfHex(trace_id, kTraceIdBytes);
  const std::optional<std::string> span = BytesOfHex(span_id, kSpanIdBytes);
  if (!trace || !span) return 0;
  std::string bytes;
  pbf_builder<otlp::Link> message(bytes);
  message.add_bytes(otlp::Link::kTraceId, *trace);
  message.add_bytes(otlp::Link::kSpanId, *span);
  return links_.NumberOf(bytes);
}

uint32_t Dictionary::Stack(uint32_t stack) {
  uint32_t& number = of_stack_[stack];
  if (number != 0) return number;
  numbers_.clear();
  code_.ForEach(stack, [this](uint32_t location) { numbers_.push_back(Location(location)); });
  std::string bytes;
  pbf_builder<otlp::Stack> message(bytes);
  message.add_packed_uint32(otlp::Stack::kLocations, numbers_.begin(), numbers_.end());
  return number = stacks_.NumberOf(bytes);
}

uint32_t Dictionary::Location(uint32_t location) {
  uint32_t& number = of_location_[location];
  if (number != 0) return number;
  std::string bytes;
  {
    pbf_builder<otlp::Location> message(bytes);
    ProfileFrame outermost;
    code_.ForEachFrame(location, [&](uint32_t frame_number) {
      const ProfileFrame& frame = profile_.frames()[frame_number];
      outermost = frame;
      pbf_builder<Line> line(message, otlp::Location::kLines);
      line.add_uint32(Line::kFunction, Function(frame.method));
      if (frame.line > 0) line.add_int64(Line::kLine, frame.line);
    });
    message.add_uint32(otlp::Location::kMapping, MappingNumber(mapping_of_frame_.Of(outermost)));
    const uint32_t attributes[] = {Attribute("profile.frame.type", FrameType(profile_, outermost))};
    message.add_packed_uint32(otlp::Location::kAttributes, std::begin(attributes),
                              std::end(attributes));
  }
  return number = locations_.NumberOf(bytes);
}

uint32_t Dictionary::Function(uint32_t method_number) {
  uint32_t& number = of_method_[method_number];
  if (number != 0) return number;
  const ProfileMethod& method = profile_.methods()[method_number];
  const std::string name = FunctionName(profile_, method_number);
  const std::string& descriptor = profile_.texts[method.descriptor];
  const bool is_method = !descriptor.empty() && descriptor.front() == '(';
  std::string bytes;
  {
    pbf_builder<otlp::Function> message(bytes);
    message.add_uint32(otlp::Function::kName, Text(name));
    message.add_uint32(otlp::Function::kSystemName, Text(is_method ? name + descriptor : name));
    const std::string path = is_method ? profile_.SourcePathOfMethod(method_number) : std::string();
    if (!path.empty()) message.add_uint32(otlp::Function::kFilename, Text(path));
  }
  return number = functions_.NumberOf(bytes);
}

uint32_t Dictionary::MappingNumber(uint32_t mapping_number) {
  const Mappings::Mapping& mapping = mapping_of_frame_.all()[mapping_number];
  std::string bytes;
  {
    pbf_builder<Mapping> message(bytes);
    if (mapping.base < mapping.top) {
      message.add_uint64(Mapping::kMemoryStart, mapping.base);
      message.add_uint64(Mapping::kMemoryLimit, mapping.top);
    }
    message.add_uint32(Mapping::kFilename, Text(mapping.path));
    if (!mapping.build_id.empty()) {
      const uint32_t attributes[] = {
          Attribute("process.executable.build_id.gnu", mapping.build_id)};
      message.add_packed_uint32(Mapping::kAttributes, std::begin(attributes), std::end(attributes));
    }
  }
  return mappings_.NumberOf(bytes);
}

std::string Dictionary::Message() const {
  std::string bytes;
  pbf_builder<DictionaryField> message(bytes);
  const auto add = [&message](DictionaryField field, const TextTable& table) {
    for (uint32_t i = 0; i < table.size(); ++i) message.add_bytes(field, table[i]);
  };
  add(DictionaryField::kMappings, mappings_);
  add(DictionaryField::kLocations, locations_);
  add(DictionaryField::kFunctions, functions_);
  add(DictionaryField::kLinks, links_);
  add(DictionaryField::kStrings, strings_);
  add(DictionaryField::kAttributes, attributes_);
  add(DictionaryField::kStacks, stacks_);
  return bytes;
}

}  // namespace jprof::otlp
