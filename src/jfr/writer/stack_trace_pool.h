// StackTracePool: the stack traces of the open chunk, in the encoding of the file.
//
// Part of ConstantPools; one thread. Contents are encoded on arrival (about 7 bytes a frame) into
// blocks of fixed size, and copied from there to the file: no second full copy, no reallocation of
// a growing array. Keys are dense over the file; contents live for one chunk.
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

  // False, without effect, if `key` already has a content or is not of this chunk.
  bool Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // The number of entries: all keys of this chunk; keys without content are written without frames.
  uint32_t count() const { return static_cast<uint32_t>(has_content_.size()); }

  // The memory of the contents.
  uint64_t bytes() const;

  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
  void BeginChunk();

 private:
  static constexpr size_t kBlockSize = 1 << 20;

  JfrEncoder& BlockWithRoom(size_t bytes);

  uint32_t first_key_ = 1;          // of this chunk
  std::vector<bool> has_content_;   // by key - first_key_
  std::vector<JfrEncoder> blocks_;  // whole entries each
};

}  // namespace jprof
