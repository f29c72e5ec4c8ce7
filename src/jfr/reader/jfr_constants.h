// JfrConstants: the constant pools of one chunk.
//
// Keeps the bytes of the chunk's checkpoints undecoded in memory, with an index from keys to
// values; values are decoded on demand. Not thread-safe. Call Add for each checkpoint, then Seal,
// then the other functions.
//  1. Memory is bounded by the bytes that the checkpoints in the file really have, not by the sizes
//     that the file declares.
//  2. If a key has two values, the first one is used, as in the JDK's own reader.
//  3. A cursor from Find never leaves the bytes of the checkpoints.
//  4. A user of this class can keep data of its own about constants in a table that is indexed by
//     NumberOf.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/key_map.h"
#include "jfr/reader/byte_cursor.h"
#include "jfr/reader/jfr_schema.h"
#include "jfr/reader/recording_file.h"

namespace jprof::profile {

class JfrConstants {
 public:
  // The largest numbers of checkpoint bytes and of constants that are read from one chunk.
  static constexpr size_t kMaxBytes = size_t{1} << 30;
  static constexpr size_t kMaxCount = size_t{1} << 26;

  // Adds the checkpoint event of `size` bytes at `offset` of the file. Returns false if the
  // checkpoint is damaged or exceeds a limit; the constants before the fault are kept. REQUIRES:
  // `schema` is the same in all calls.
  bool Add(RecordingFile& file, int64_t offset, size_t size, const JfrSchema& schema,
           JfrIntegers integers);
  void Seal();

  // Returns a cursor at the value of the constant; nullopt if the chunk does not have the key.
  std::optional<ByteCursor> Find(uint32_t type, uint64_t key) const;

  // Returns the number of a constant among those of its type, from 1 to CountOf; 0 if the chunk
  // does not have the key.
  uint32_t NumberOf(uint32_t type, uint64_t key) const {
    return type < pools_.size() ? pools_[type].NumberOf(key) : 0;
  }
  uint32_t CountOf(uint32_t type) const {
    return type < pools_.size() ? static_cast<uint32_t>(pools_[type].entries.size()) : 0;
  }

 private:
  struct KeyedConstant {
    uint64_t key;
    uint32_t at;  // offset of the value in bytes_
  };
  // The constants of one type. Dense keys are indexed by their distance from the lowest key, other
  // keys by hash.
  struct Pool {
    std::vector<KeyedConstant> entries;
    uint64_t lowest = 0;
    std::vector<uint32_t> by_distance;  // index into entries, plus 1
    KeyMap by_hash;

    void Seal();
    // Returns the index into entries, plus 1; 0 if the key is unknown.
    uint32_t NumberOf(uint64_t key) const;
  };

  bool Index(size_t begin, const JfrSchema& schema);

  JfrIntegers integers_ = JfrIntegers::kCompressed;
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
  std::vector<Pool> pools_;  // indexed by type
};

}  // namespace jprof::profile
