#include "jfr/writer/jfr_chunk.h"

#include <array>
#include <cstdint>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"

namespace jprof {
namespace {

int64_t NowOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);  // cannot fail for the two clocks used here
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

enum class ChunkState : uint8_t { kComplete = 0, kBeingWritten = 1 };

// The first 68 bytes of a chunk.
struct ChunkHeader {
  static constexpr int64_t kSize = 68;

  int64_t size = 0;
  int64_t checkpoint_offset = 0;  // offsets count from the start of the chunk
  int64_t metadata_offset = kSize;
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;
  ChunkState state = ChunkState::kBeingWritten;

  void EncodeTo(JfrEncoder& out) const;
};

constexpr uint8_t kMagic[] = {'F', 'L', 'R', '\0'};
constexpr uint16_t kMajorVersion = 2;
constexpr uint16_t kMinorVersion = 1;
constexpr uint16_t kCompressedInts = 1;  // a flag without which readers refuse a chunk

void ChunkHeader::EncodeTo(JfrEncoder& out) const {
  out.Bytes(kMagic);
  out.Fixed16(kMajorVersion);
  out.Fixed16(kMinorVersion);
  for (const int64_t value : {size, checkpoint_offset, metadata_offset, start_epoch_ns, duration_ns,
                              start_ticks, ticks_per_second}) {
    out.Fixed64(static_cast<uint64_t>(value));
  }
  out.Byte(static_cast<uint8_t>(state));
  out.Byte(0);
  out.Fixed16(kCompressedInts);
}

constexpr uint8_t kCheckpointFlags = 1;  // "complete", as the JDK writes it
constexpr int64_t kDataLossSize = 64;    // upper bound in bytes
constexpr int64_t kLongestSize = 9;      // bytes of the varint at the start of an event, its size

// Returns the size of an event, the varint at `at`. If the bytes end within the varint, returns 0,
// which no event has as its size.
uint64_t ReadSize(std::span<const uint8_t> bytes, size_t at) {
  uint64_t value = 0;
  for (int shift = 0; at < bytes.size() && shift < 63; ++at, shift += 7) {
    value |= uint64_t{bytes[at] & 0x7Fu} << shift;
    if (bytes[at] < 0x80) return value;
  }
  return 0;
}

}  // namespace

ChunkClock ChunkClock::Now() { return {NowOf(CLOCK_REALTIME), NowOf(CLOCK_MONOTONIC)}; }

Result<JfrChunk> JfrChunk::Create(SideFile file, const ChunkClock& clock, ConstantPools& pools,
                                  const EventDeclarations& declarations, int64_t start_ticks) {
  JPROF_CHECK(file.size() == 0);
  JfrChunk chunk(std::move(file), clock, pools, declarations, start_ticks);
  if (!chunk.status().ok()) return chunk.status().error();
  return chunk;
}

JfrChunk::JfrChunk(SideFile file, const ChunkClock& clock, ConstantPools& pools,
                   const EventDeclarations& declarations, int64_t start_ticks)
    : file_(std::move(file)),
      clock_(&clock),
      pools_(&pools),
      declarations_(&declarations),
      start_ticks_(start_ticks),
      last_ticks_(start_ticks) {
  ChunkHeader().EncodeTo(file_.buffer());
  EncodeMetadata(file_.buffer(), declarations, start_ticks);
  file_.Flush();  // makes Create fail if the disk is full
  events_start_ = file_.size();
}

Status JfrChunk::Finish(int64_t end_ticks, int64_t lost_before) {
  last_ticks_ = std::max(last_ticks_, end_ticks);
  int64_t checkpoint_offset = file_.size();
  WriteCheckpoint();
  if (!file_.status().ok()) {
    first_error_ = file_.status();
    const int64_t checkpoint_size = file_.size() - checkpoint_offset;
    if (!DropEventsBeyond(checkpoint_size, checkpoint_offset, lost_before)) {
      return first_error_;
    }
    checkpoint_offset = file_.size();
    WriteCheckpoint();
  }

  ChunkHeader header;
  header.size = file_.size();
  header.checkpoint_offset = checkpoint_offset;
  header.start_epoch_ns = clock_->EpochNanos(start_ticks_);
  header.duration_ns = (last_ticks_ - start_ticks_) * ChunkClock::kNanosPerTick;
  header.start_ticks = start_ticks_;
  header.ticks_per_second = ChunkClock::kTicksPerSecond;
  header.state = ChunkState::kComplete;
  JfrEncoder head(ChunkHeader::kSize);
  header.EncodeTo(head);
  return file_.Finish(head.bytes());
}

void JfrChunk::EndEvent(FieldWriter& fields, JfrType type, std::span<const TrailingValue> trailing,
                        size_t start) {
  const std::span<const TrailingField> declared = declarations_->FieldsAppendedTo(type);
  if (!declared.empty()) fields.Trailing(declared, trailing);
  fields.EndAppended();
  file_.buffer().EndEvent(start);
  last_ticks_ = std::max(last_ticks_, fields.ticks());
}

void JfrChunk::WriteCheckpoint() {
  // The size of the checkpoint is known only after the checkpoint has been written to the file. So
  // space is reserved for the size, and filled at the end.
  JfrEncoder& out = file_.buffer();
  file_.Flush();
  const int64_t start = file_.size();
  out.ReserveSize();
  out.Varint(TypeId(JfrType::kCheckpoint));
  out.Long(last_ticks_);
  out.Long(0);  // duration
  out.Long(0);  // delta to the previous checkpoint: there is none
  out.Byte(kCheckpointFlags);
  pools_->Write(out, [this] { file_.FlushIfFull(); });
  file_.Flush();

  std::array<uint8_t, JfrEncoder::kPaddedSize> size;
  JfrEncoder::StorePadded(size.data(), static_cast<uint64_t>(file_.size() - start));
  file_.Patch(start, size);
}

bool JfrChunk::DropEventsBeyond(int64_t checkpoint_size, int64_t events_end, int64_t lost_before) {
  const int64_t room = file_.stored() - checkpoint_size - kDataLossSize;
  if (room < events_start_) return false;
  const Prefix kept = EventsBefore(room);
  dropped_ = appended_ - kept.events;
  file_.RewindTo(kept.end);
  lost_bytes_ = events_end - kept.end;
  Encode(DataLoss{.time_ns = clock_->MonotonicNanos(last_ticks_),
                  .amount_bytes = static_cast<uint64_t>(lost_bytes_),
                  .total_bytes = static_cast<uint64_t>(lost_before + lost_bytes_)});
  return true;
}

JfrChunk::Prefix JfrChunk::EventsBefore(int64_t limit) const {
  std::vector<uint8_t> block(64 * 1024);
  std::span<const uint8_t> bytes;  // bytes of the file from block_start on
  int64_t block_start = 0;
  Prefix prefix{events_start_, 0};
  for (;;) {
    if (prefix.end + kLongestSize > block_start + static_cast<int64_t>(bytes.size())) {
      block_start = prefix.end;
      bytes = std::span(block).first(file_.ReadAt(block_start, block));
    }
    const auto size =
        static_cast<int64_t>(ReadSize(bytes, static_cast<size_t>(prefix.end - block_start)));
    if (size == 0 || prefix.end + size > limit) return prefix;
    prefix.end += size;
    ++prefix.events;
  }
}

}  // namespace jprof
