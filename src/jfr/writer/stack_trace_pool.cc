#include <algorithm>

#include "jfr/writer/constant_pools.h"

namespace jprof {
namespace {

// Upper bounds in bytes.
constexpr size_t kMaxHeadSize = 5 + 1 + 5;  // the key, `truncated` and the number of frames
constexpr size_t kMaxFrameSize = 4 * 5;     // the four varints of a frame

}  // namespace

uint32_t StackTracePool::NewKey() {
  has_content_.push_back(false);
  return first_key_ + count() - 1;
}

bool StackTracePool::Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames) {
  const size_t index = size_t{key} - first_key_;  // a large number for keys of earlier chunks
  if (index >= has_content_.size() || has_content_[index]) return false;
  has_content_[index] = true;

  JfrEncoder& out = BlockWithRoom(kMaxHeadSize + frames.size() * kMaxFrameSize);
  out.Varint(key);
  out.Byte(truncated == Truncated::kYes ? 1 : 0);
  out.Varint(frames.size());
  for (const FrameConstant& frame : frames) {
    out.Varint(frame.method_key);
    out.Int(frame.line);
    out.Int(frame.bci);
    out.Varint(static_cast<uint32_t>(frame.type));
  }
  return true;
}

JfrEncoder& StackTracePool::BlockWithRoom(size_t bytes) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes) {
    blocks_.emplace_back(std::max(kBlockSize, bytes));
  }
  return blocks_.back();
}

uint64_t StackTracePool::bytes() const {
  uint64_t bytes = 0;
  for (const JfrEncoder& block : blocks_) bytes += block.capacity();
  return bytes;
}

void StackTracePool::Write(JfrEncoder& out, const std::function<void()>& spill) const {
  for (const JfrEncoder& block : blocks_) {
    out.Bytes(block.bytes());
    spill();
  }
  for (uint32_t i = 0; i < count(); ++i) {
    if (has_content_[i]) continue;
    out.Varint(first_key_ + i);
    out.Byte(0);    // not truncated
    out.Varint(0);  // no frames
    spill();
  }
}

void StackTracePool::BeginChunk() {
  first_key_ += count();
  has_content_.clear();
  blocks_.clear();
}

}  // namespace jprof
