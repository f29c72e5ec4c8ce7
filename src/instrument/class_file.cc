#include "instrument/class_file.h"

#include <string>

namespace jprof::instrument {
namespace {

constexpr std::string_view kPrimitives = "BCDFIJSZ";

// Returns the type at the start of `text`; empty if there is none.
std::string_view FirstType(std::string_view text) {
  const size_t element = text.find_first_not_of('[');
  if (element == std::string_view::npos) return {};
  if (kPrimitives.find(text[element]) != std::string_view::npos) return text.substr(0, element + 1);
  if (text[element] != 'L') return {};
  const size_t end = text.find(';', element);
  if (end == std::string_view::npos || end == element + 1) return {};
  return text.substr(0, end + 1);
}

constexpr int kMaxDepth = 64;

uint16_t SkipNested(ByteReader& reader, int depth);

void SkipElement(ByteReader& reader, int depth) {
  if (depth == kMaxDepth) return reader.Fail();
  switch (reader.U1()) {
    case 'e':
      reader.Take(4);
      return;
    case '@':
      SkipNested(reader, depth + 1);
      return;
    case '[':
      for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
        SkipElement(reader, depth + 1);
      }
      return;
    default:
      reader.U2();
  }
}

uint16_t SkipNested(ByteReader& reader, int depth) {
  const uint16_t type = reader.U2();
  for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
    reader.U2();  // name
    SkipElement(reader, depth);
  }
  return type;
}

constexpr uint32_t kMagic = 0xCAFEBABE;
constexpr uint16_t kOldestMajor = 45;
constexpr uint16_t kOldestMinor = 3;  // minor version; older files have narrower Code attributes
constexpr uint16_t kNewestMajor = 71;

void SkipMembers(ByteReader& reader, const ConstantPool& pool) {
  const uint16_t count = reader.U2();
  for (uint16_t i = 0; i < count && !reader.failed(); ++i) {
    reader.Take(6);
    const uint16_t attributes = reader.U2();
    ReadAttributes(reader, attributes, pool);
  }
}

Method ReadMethod(ByteReader& reader, Bytes bytes, const ConstantPool& pool) {
  Method method;
  const size_t begin = reader.position();
  method.header = reader.Take(6);
  ByteReader header(method.header);
  method.access_flags = header.U2();
  method.name = pool.Utf8(header.U2());
  method.descriptor = pool.Utf8(header.U2());
  const uint16_t attributes = reader.U2();
  method.attributes = ReadAttributes(reader, attributes, pool);
  if (method.name.empty() || method.descriptor.empty()) reader.Fail();
  if (!reader.failed()) method.whole = bytes.subspan(begin, reader.position() - begin);
  return method;
}

}  // namespace

std::optional<MethodDescriptor> MethodDescriptor::Parse(std::string_view text) {
  MethodDescriptor descriptor;
  if (!text.starts_with('(')) return std::nullopt;
  text.remove_prefix(1);
  while (!text.starts_with(')')) {
    const std::string_view type = FirstType(text);
    if (type.empty()) return std::nullopt;
    descriptor.parameters.push_back(type);
    text.remove_prefix(type.size());
  }
  descriptor.result = text.substr(1);
  const bool is_type =
      descriptor.result == "V" ||
      (!descriptor.result.empty() && FirstType(descriptor.result) == descriptor.result);
  if (!is_type) return std::nullopt;
  return descriptor;
}

uint32_t MethodDescriptor::ParameterSlots() const {
  uint32_t slots = 0;
  for (const std::string_view parameter : parameters) slots += SlotsOf(parameter);
  return slots;
}

uint16_t SkipAnnotation(ByteReader& reader) { return SkipNested(reader, 0); }

bool HasAnnotation(Bytes content, const ConstantPool& pool, std::string_view type) {
  ByteReader reader(content);
  for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
    const uint16_t index = SkipAnnotation(reader);
    if (!reader.failed() && pool.Utf8(index) == type) return true;
  }
  return false;
}

std::vector<Attribute> ReadAttributes(ByteReader& reader, uint16_t count,
                                      const ConstantPool& pool) {
  std::vector<Attribute> attributes;
  for (uint16_t i = 0; i < count && !reader.failed(); ++i) {
    ByteReader whole = reader;
    Attribute attribute;
    const uint16_t name = reader.U2();
    // An index without a Utf8 entry is refused. An index beyond the end of the pool would otherwise
    // become valid when the probes add entries to the pool.
    if (!pool.IsUtf8(name)) reader.Fail();
    attribute.name = pool.Utf8(name);
    const uint32_t length = reader.U4();
    attribute.content = reader.Take(length);
    if (!reader.failed()) attribute.whole = whole.Take(6 + size_t{length});
    attributes.push_back(attribute);
  }
  return attributes;
}

Result<ClassFile> ClassFile::Parse(Bytes bytes) {
  ClassFile file;
  ByteReader reader(bytes);
  if (reader.U4() != kMagic) return Error("not a class file: no magic number");
  const uint16_t minor = reader.U2();
  file.major_version = reader.U2();
  if (file.major_version < kOldestMajor || file.major_version > kNewestMajor ||
      (file.major_version == kOldestMajor && minor < kOldestMinor)) {
    return Error("class file version " + std::to_string(file.major_version) + "." +
                 std::to_string(minor) + " is not supported: 45.3 to 71 are");
  }
  file.before_pool = bytes.first(reader.failed() ? 0 : reader.position());
  if (!file.pool.Read(reader)) return Error("malformed class file: constant pool");

  const size_t after_pool = reader.position();
  reader.U2();  // access flags
  file.this_class = reader.U2();
  file.has_superclass = reader.U2() != 0;
  reader.Take(size_t{2} * reader.U2());  // interfaces
  SkipMembers(reader, file.pool);        // fields
  if (reader.failed()) return Error("malformed class file: fields");
  file.before_methods = bytes.subspan(after_pool, reader.position() - after_pool);
  if (file.pool.ClassName(file.this_class).empty()) return Error("malformed class file: its name");

  const uint16_t methods = reader.U2();
  for (uint16_t i = 0; i < methods && !reader.failed(); ++i) {
    file.methods.push_back(ReadMethod(reader, bytes, file.pool));
  }
  if (reader.failed()) return Error("malformed class file: methods");
  const size_t after_methods = reader.position();
  const uint16_t attributes = reader.U2();
  ReadAttributes(reader, attributes, file.pool);
  if (!reader.AtEnd()) return Error("malformed class file: its end");
  file.after_methods = bytes.subspan(after_methods);
  return file;
}

}  // namespace jprof::instrument
