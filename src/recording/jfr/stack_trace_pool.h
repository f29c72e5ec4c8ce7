// StackTracePool: the stack traces of the open chunk, kept as the bytes that the file will hold.
//
// Part of ConstantPools; one thread. Contents are encoded when they arrive (about 7 bytes a frame)
// into blocks of fixed size and copied from there to the file: no second full copy, no array that
// grows by copying itself. Keys are dense over the file; contents live for one chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "recording/jfr/constants.h"
#include "recording/jfr/jfr_encoder.h"

namespace jprof {

class StackTracePool {
 public:
  uint32_t NewKey();

  // False, and nothing changes, if `key` already has a content or is not of this chunk.
  bool Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // Entries that Write writes: all keys of this chunk, without frames where no content came.
  uint32_t count() const { return static_cast<uint32_t>(has_content_.size()); }

  // Memory that the contents take.
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
