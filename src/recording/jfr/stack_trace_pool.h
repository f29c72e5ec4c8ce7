// StackTracePool: the stack traces of the open chunk, kept as the bytes that the file will hold.
//
// Part of ConstantPools; one thread. Contents are encoded when they arrive (about 7 bytes a frame)
// into blocks of fixed size, and copied from there to the file: no second full copy, no growing
// array. Keys are dense over the file; contents live for one chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "recording/jfr/jfr_encoder.h"

namespace jprof {

// How a frame's code was run. Values are keys in the file, fixed so that async-profiler's converter,
// which looks at numbers (src/converter/one/jfr/JfrReader.java, v4.5), agrees.
enum class FrameType : uint32_t {
  kJitCompiled = 1,
  kInlined = 2,
  kNative = 3,
  kCpp = 4,
  kKernel = 5,
  kC1Compiled = 6,
  kInterpreted = 7,
  kJava = 8,  // tier unknown
};

enum class Truncated : bool { kNo, kYes };

struct FrameConstant {
  uint32_t method_key = 0;
  int32_t line = 0;  // 0: unknown
  int32_t bci = 0;
  FrameType type = FrameType::kJava;
};

class StackTracePool {
 public:
  uint32_t NewKey() { return next_key_++; }

  // Returns false, and keeps the earlier content, if `key` already has one or is not of this chunk.
  bool Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // Number of entries that Write writes: all keys of this chunk.
  uint32_t count() const { return next_key_ - first_key_; }

  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
  void BeginChunk();

 private:
  static constexpr size_t kBlockSize = 1 << 20;

  JfrEncoder& BlockWithRoom(size_t bytes);

  uint32_t first_key_ = 1;  // of this chunk
  uint32_t next_key_ = 1;
  std::vector<bool> has_content_;  // by key - first_key_
  std::vector<JfrEncoder> blocks_;  // whole entries each
};

}  // namespace jprof
