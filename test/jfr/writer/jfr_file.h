// A small, strict parser of the chunks that the tests write. It knows the layout of the format and
// nothing about our tables, and fails on everything that jfr.md's readers would stumble over.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jprof::test {

// A cursor over bytes. Reading beyond the end throws std::out_of_range: a failed test.
class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes, size_t at = 0) : bytes_(&bytes), at_(at) {}

  uint64_t Byte() { return static_cast<uint8_t>(bytes_->at(at_++)); }
  uint64_t Varint();
  uint64_t Fixed(int width);
  std::string String();
  size_t at() const { return at_; }

  // Where the fields behind the head of appended fields end, by that head; 0: none has been read.
  size_t appended_end = 0;

 private:
  const std::string* bytes_;
  size_t at_;
};

struct ParsedEvent {
  uint64_t type;
  size_t fields_at;  // offset in the file
  size_t end;
};

struct ParsedField {
  std::string name;
  uint64_t type;
  bool in_pool;
  bool is_array;
};

struct ParsedType {
  std::string name;
  std::string super_type;
  std::vector<ParsedField> fields;
};

// A key that an event or a constant holds: the type of its pool, the key.
using References = std::set<std::pair<uint64_t, uint64_t>>;

struct ParsedChunk {
  uint64_t size, checkpoint_offset, metadata_offset;
  uint64_t start_epoch_ns, duration_ns, start_ticks, ticks_per_second;
  uint64_t state, flags;
  uint64_t metadata_id;
  std::map<uint64_t, ParsedType> types;
  std::vector<ParsedEvent> events;  // without metadata and checkpoint
  // By type and key: the entry as text, fields separated by commas, keys as #key.
  std::map<std::string, std::map<uint64_t, std::string>> pools;
  std::vector<std::string> pool_order;
  References references;  // of events and constants, without 0

  // The type named so. Throws if there is none.
  uint64_t TypeNamed(const std::string& name) const;
  // None where the chunk does not declare the type.
  std::vector<ParsedEvent> EventsNamed(const std::string& name) const;
};

std::string ReadFile(const std::string& path);

// Throws std::runtime_error with what is wrong.
std::vector<ParsedChunk> ParseRecording(const std::string& bytes);

// The fields of an event as text, in the notation of ParsedChunk::pools.
std::string FieldsText(const ParsedChunk& chunk, const std::string& bytes,
                       const ParsedEvent& event);

}  // namespace jprof::test
