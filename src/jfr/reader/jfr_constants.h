// JfrConstants: the constant pools of one chunk: an index from keys to values in its checkpoints.
//
// The bytes of the checkpoints are kept in memory undecoded, with an index; values are decoded on
// demand. One thread. Life: Add*, Seal, then the other calls.
//  1. Memory is bounded by the checkpoints that are present, not by the sizes that they claim.
//  2. Of two values of a key the first counts, as in the JDK's own reader.
//  3. A cursor from Find never leaves the checkpoints' bytes.
//  4. Readers keep their own data about constants in separate tables by NumberOf, one table per
//     purpose.
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
  // More constants than this in one chunk are not read.
  static constexpr size_t kMaxBytes = size_t{1} << 30;
  static constexpr size_t kMaxCount = size_t{1} << 26;

  // Adds the checkpoint event of `size` bytes at `offset` of the file. False if it is damaged: the
  // part before the damage is kept. REQUIRES: the same schema in all calls.
  bool Add(RecordingFile& file, int64_t offset, size_t size, const JfrSchema& schema,
           JfrIntegers integers);
  void Seal();

  // A cursor at the value; nullopt: not in the chunk.
  std::optional<ByteCursor> Find(uint32_t type, uint64_t key) const;

  // The constants of a type are numbered from 1 to CountOf. 0 if the chunk does not have the key.
  uint32_t NumberOf(uint32_t type, uint64_t key) const {
    return type < pools_.size() ? pools_[type].NumberOf(key) : 0;
  }
  uint32_t CountOf(uint32_t type) const {
    return type < pools_.size() ? static_cast<uint32_t>(pools_[type].entries.size()) : 0;
  }

 private:
  struct KeyedConstant {
    uint64_t key;
    uint32_t at;  // in bytes_
  };
  // The constants of one type. Dense keys are indexed by their distance from the lowest, others by
  // hash.
  struct Pool {
    std::vector<KeyedConstant> entries;
    uint64_t lowest = 0;
    std::vector<uint32_t> by_distance;  // index into entries, plus 1
    KeyMap by_hash;

    void Seal();
    uint32_t NumberOf(uint64_t key) const;  // index into entries, plus 1; 0: none
  };

  bool Index(size_t begin, const JfrSchema& schema);

  JfrIntegers integers_ = JfrIntegers::kCompressed;
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
  std::vector<Pool> pools_;  // by type
};

}  // namespace jprof::profile
