// A small, strict parser of the chunks that the tests write. The parser knows the layout of the
// format and nothing of our tables. It fails on everything that would make one of the readers in
// docs/formats/jfr.md fail.
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

  // The end of the appended fields, as the head of these fields states it; 0 if no head has been
  // read.
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

// The keys that events or constants hold, each with the type of its pool: (type, key).
using References = std::set<std::pair<uint64_t, uint64_t>>;

struct ParsedChunk {
  uint64_t size, checkpoint_offset, metadata_offset;
  uint64_t start_epoch_ns, duration_ns, start_ticks, ticks_per_second;
  uint64_t state, flags;
  uint64_t metadata_id;
  std::map<uint64_t, ParsedType> types;
  std::vector<ParsedEvent> events;  // all events but metadata and checkpoint
  // The entries by type and key, as text: fields separated by commas, keys as #key.
  std::map<std::string, std::map<uint64_t, std::string>> pools;
  std::vector<std::string> pool_order;
  References references;  // references of events and constants, without key 0

  // Returns the id of the type with this name. Throws if there is no such type.
  uint64_t TypeNamed(const std::string& name) const;
  // Returns the events of a type; empty if the chunk does not declare the type.
  std::vector<ParsedEvent> EventsNamed(const std::string& name) const;
};

std::string ReadFile(const std::string& path);

// Parses all chunks. If a chunk is damaged, throws a std::runtime_error that names the fault.
std::vector<ParsedChunk> ParseRecording(const std::string& bytes);

// Returns the fields of an event as text, in the notation of ParsedChunk::pools.
std::string FieldsText(const ParsedChunk& chunk, const std::string& bytes,
                       const ParsedEvent& event);

}  // namespace jprof::test
