#include "jfr/writer/jfr_file.h"

#include <bit>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace jprof::test {
namespace {

void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

using Attributes = std::map<std::string, std::string>;

struct Element {
  std::string name;
  Attributes attributes;
  std::vector<Element> children;
};

Element ReadElement(ByteReader& in, const std::vector<std::string>& strings) {
  Element element{strings.at(in.Varint()), {}, {}};
  for (uint64_t left = in.Varint(); left > 0; --left) {
    const std::string& key = strings.at(in.Varint());
    element.attributes[key] = strings.at(in.Varint());
  }
  for (uint64_t left = in.Varint(); left > 0; --left) {
    element.children.push_back(ReadElement(in, strings));
  }
  return element;
}

ParsedType TypeOf(const Element& element) {
  ParsedType type{element.attributes.at("name"), "", {}};
  if (element.attributes.contains("superType")) {
    type.super_type = element.attributes.at("superType");
  }
  for (const Element& child : element.children) {
    if (child.name != "field") continue;
    type.fields.push_back({child.attributes.at("name"), std::stoull(child.attributes.at("class")),
                           child.attributes.contains("constantPool"),
                           child.attributes.contains("dimension")});
  }
  return type;
}

void ReadMetadata(ParsedChunk& chunk, const std::string& bytes, size_t at) {
  ByteReader in(bytes, at);
  const uint64_t size = in.Varint();
  Require(in.Varint() == 0, "metadata is not of type 0");
  Require(in.Varint() >= chunk.start_ticks, "metadata before the start");
  in.Varint();
  chunk.metadata_id = in.Varint();
  std::vector<std::string> strings(in.Varint());
  for (std::string& text : strings) text = in.String();
  const Element root = ReadElement(in, strings);
  Require(in.at() == at + size, "metadata does not end at its size");
  Require(root.children.at(0).name == "metadata" && root.children.at(1).name == "region",
          "root without metadata and region");
  for (const Element& type : root.children[0].children) {
    const uint64_t id = std::stoull(type.attributes.at("id"));
    Require(id > 1 && id < 1024, "type id out of range");
    Require(chunk.types.emplace(id, TypeOf(type)).second, "type id declared twice");
  }
}

std::string ValueText(const ParsedChunk& chunk, ByteReader& in, uint64_t type,
                      References* references);

std::string FieldText(const ParsedChunk& chunk, ByteReader& in, const ParsedField& field,
                      References* references) {
  if (field.in_pool) {
    const uint64_t key = in.Varint();
    if (key != 0 && references != nullptr) references->emplace(field.type, key);
    return "#" + std::to_string(key);
  }
  if (!field.is_array) return ValueText(chunk, in, field.type, references);
  std::string text = "[";
  for (uint64_t left = in.Varint(); left > 0; --left) {
    text += "(" + ValueText(chunk, in, field.type, references) + ")";
  }
  return text + "]";
}

std::string ValueText(const ParsedChunk& chunk, ByteReader& in, uint64_t type,
                      References* references) {
  const ParsedType& declared = chunk.types.at(type);
  if (declared.name == "java.lang.String") return in.String();
  if (declared.name == "boolean") return in.Byte() != 0 ? "true" : "false";
  if (declared.name == "int") return std::to_string(in.Varint());
  if (declared.name == "long") return std::to_string(static_cast<int64_t>(in.Varint()));
  if (declared.name == "double") return std::to_string(std::bit_cast<double>(in.Fixed(8)));
  if (declared.name == "float") {
    return std::to_string(std::bit_cast<float>(static_cast<uint32_t>(in.Fixed(4))));
  }
  if (declared.name == "profiler.types.Appended") {
    const size_t begin = in.at();
    in.appended_end = begin + in.Varint();
    Require(in.Varint() == type, "appended fields begin like an event of a type that there is");
    return "appended";
  }
  Require(!declared.fields.empty(), "no fields: " + declared.name);
  std::string text;
  const char* separator = "";
  for (const ParsedField& field : declared.fields) {
    text += separator + FieldText(chunk, in, field, references);
    separator = ",";
  }
  return text;
}

void ReadCheckpoint(ParsedChunk& chunk, const std::string& bytes, size_t at) {
  ByteReader in(bytes, at);
  const uint64_t size = in.Varint();
  Require(in.Varint() == 1, "checkpoint is not of type 1");
  Require(in.Varint() >= chunk.start_ticks, "checkpoint before the start");
  in.Varint();
  Require(in.Varint() == 0, "a chain of checkpoints");
  Require(in.Byte() == 1, "flags of the checkpoint");
  for (uint64_t pools = in.Varint(); pools > 0; --pools) {
    const uint64_t type = in.Varint();
    const std::string& name = chunk.types.at(type).name;
    auto [pool, is_new] = chunk.pools.try_emplace(name);
    Require(is_new, "pool written twice: " + name);
    chunk.pool_order.push_back(name);
    uint64_t entries = in.Varint();
    Require(entries > 0, "empty pool: " + name);
    for (; entries > 0; --entries) {
      const uint64_t key = in.Varint();
      Require(pool->second.emplace(key, ValueText(chunk, in, type, &chunk.references)).second,
              "duplicate key in " + name);
    }
  }
  Require(in.at() == at + size, "checkpoint does not end at its size");
}

ParsedChunk ReadHeader(const std::string& bytes, size_t at) {
  ByteReader in(bytes, at);
  ParsedChunk chunk{};
  Require(in.Fixed(4) == 0x464C5200, "magic");
  Require(in.Fixed(2) == 2 && in.Fixed(2) == 1, "version");
  chunk.size = in.Fixed(8);
  chunk.checkpoint_offset = in.Fixed(8);
  chunk.metadata_offset = in.Fixed(8);
  chunk.start_epoch_ns = in.Fixed(8);
  chunk.duration_ns = in.Fixed(8);
  chunk.start_ticks = in.Fixed(8);
  chunk.ticks_per_second = in.Fixed(8);
  chunk.state = in.Fixed(1);
  Require(in.Fixed(1) == 0, "padding");
  chunk.flags = in.Fixed(2);
  Require(at + chunk.size <= bytes.size(), "chunk longer than the file");
  return chunk;
}

ParsedChunk ReadChunk(const std::string& bytes, size_t start) {
  ParsedChunk chunk = ReadHeader(bytes, start);
  ReadMetadata(chunk, bytes, start + chunk.metadata_offset);
  ReadCheckpoint(chunk, bytes, start + chunk.checkpoint_offset);
  const size_t end = start + chunk.size;
  for (size_t at = start + 68; at < end;) {
    ByteReader in(bytes, at);
    const uint64_t size = in.Varint();
    Require(size > 0 && at + size <= end, "event size");
    const uint64_t type = in.Varint();
    if (type > 1) {
      chunk.events.push_back({type, in.at(), at + size});
      ValueText(chunk, in, type, &chunk.references);
      Require(in.at() == at + size, "event with unused bytes: " + chunk.types.at(type).name);
    }
    at += size;
  }
  return chunk;
}

}  // namespace

uint64_t ByteReader::Varint() {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    const uint64_t byte = Byte();
    value |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) return value;
  }
  return value | Byte() << 56;
}

uint64_t ByteReader::Fixed(int width) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) value = value << 8 | Byte();
  return value;
}

std::string ByteReader::String() {
  const uint64_t form = Byte();
  if (form == 0) return "<null>";
  if (form == 1) return "";
  Require(form == 3, "string form " + std::to_string(form));
  const uint64_t length = Varint();
  const std::string text = bytes_->substr(at_, length);
  Require(text.size() == length, "string beyond the end");
  at_ += length;
  return text;
}

uint64_t ParsedChunk::TypeNamed(const std::string& name) const {
  for (const auto& [id, type] : types) {
    if (type.name == name) return id;
  }
  throw std::runtime_error("no type " + name);
}

std::vector<ParsedEvent> ParsedChunk::EventsNamed(const std::string& name) const {
  std::vector<ParsedEvent> found;
  for (const ParsedEvent& event : events) {
    if (types.at(event.type).name == name) found.push_back(event);
  }
  return found;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<ParsedChunk> ParseRecording(const std::string& bytes) {
  std::vector<ParsedChunk> chunks;
  for (size_t at = 0; at < bytes.size(); at += chunks.back().size) {
    chunks.push_back(ReadChunk(bytes, at));
  }
  return chunks;
}

std::string FieldsText(const ParsedChunk& chunk, const std::string& bytes,
                       const ParsedEvent& event) {
  ByteReader in(bytes, event.fields_at);
  const std::string text = ValueText(chunk, in, event.type, nullptr);
  Require(in.at() == event.end, "event with unused bytes");
  Require(in.appended_end == 0 || in.appended_end == event.end,
          "appended fields of another size than their head says");
  return text;
}

}  // namespace jprof::test
