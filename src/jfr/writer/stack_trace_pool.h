// StackTracePool: the stack traces of the open chunk, in the encoding of the file.
//
// Part of ConstantPools; not thread-safe. Contents are encoded on arrival (about 7 bytes per frame)
// into blocks, and copied from there to the file, so that there is neither a second full copy nor a
// growing array. Keys are dense over the file; contents live for one chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "jfr/writer/constants.h"
#include "jfr/writer/jfr_encoder.h"

namespace jprof {

class StackTracePool {
 public:
  uint32_t NewKey();

  // Sets the content of a key. False, without effect, if `key` already has a content or is not a
  // key of this chunk.
  bool Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // The number of keys of this chunk. Keys without content are written without frames.
  uint32_t count() const { return static_cast<uint32_t>(has_content_.size()); }

  // The memory of the contents in bytes.
  uint64_t bytes() const;

  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
  void BeginChunk();

 private:
  static constexpr size_t kBlockSize = 1 << 20;

  JfrEncoder& BlockWithRoom(size_t bytes);

  uint32_t first_key_ = 1;          // first key of this chunk
  std::vector<bool> has_content_;   // indexed by key - first_key_
  std::vector<JfrEncoder> blocks_;  // each holds whole entries
};

}  // namespace jprof
