#include "jfr/reader/jfr_chunk_layout.h"

#include <algorithm>

namespace jprof::profile {
namespace {

constexpr uint64_t kMetadataType = 0;
constexpr uint64_t kCheckpointType = 1;
constexpr size_t kMaxEventHead = 48;  // bytes of size, type, start, duration and delta
// Caps the metadata: a schema takes up to 50 times the memory of its metadata. The JDK's own types
// take 200 kB.
constexpr size_t kMaxMetadataBytes = 16 << 20;

}  // namespace

std::string JfrChunkLayout::Find() {
  const int64_t rest = file_.size() - offset_;
  const bool fits = header_.size >= JfrChunkHeader::kSize && header_.size <= rest;
  if (header_.state == 0 && fits) {
    end_ = offset_ + header_.size;
    if (FollowHeader()) return {};
    Scan();
    end_ = offset_ + header_.size;  // start of the next chunk, whatever this one contains
    return "a chunk whose header does not lead to its metadata and constants";
  }
  end_ = file_.size();
  Scan();
  const std::string read = std::to_string(end_ - offset_) + " bytes of it could be read";
  if (header_.state != 0) return "a chunk that was never finished; " + read;
  return "a chunk that is cut; " + read;
}

bool JfrChunkLayout::FollowHeader() {
  const auto inside = [this](int64_t at) {
    return at >= JfrChunkHeader::kSize && at < end_ - offset_;
  };
  if (!inside(header_.metadata_offset)) return false;
  const Head metadata = HeadAt(offset_ + header_.metadata_offset);
  if (metadata.place.size == 0 || metadata.type != kMetadataType) return false;
  metadata_ = metadata.place;

  int64_t at = header_.checkpoint_offset;
  int64_t end = end_ - offset_;
  while (at != 0) {
    if (!inside(at)) return false;
    const Head checkpoint = HeadAt(offset_ + at);
    if (checkpoint.place.size == 0 || checkpoint.type != kCheckpointType) return false;
    // Refuses checkpoints that overlap: together they could be many times as long as the file.
    if (static_cast<int64_t>(checkpoint.place.size) > end - at) return false;
    end = at;
    checkpoints_.push_back(checkpoint.place);
    if (checkpoint.delta == 0) break;
    // Follows the chain only backwards, so that it ends; this also keeps `at + delta` from
    // overflowing.
    if (checkpoint.delta > 0 || checkpoint.delta < -at) return false;
    at += checkpoint.delta;
  }
  std::reverse(checkpoints_.begin(), checkpoints_.end());
  return true;
}

void JfrChunkLayout::Scan() {
  checkpoints_.clear();
  metadata_ = {};
  int64_t at = offset_ + JfrChunkHeader::kSize;
  while (at < end_) {
    if (JfrChunkHeader::HasMagic(file_.At(at, 4))) break;
    const Head head = HeadAt(at);
    if (head.place.size == 0) break;
    if (head.type == kMetadataType) metadata_ = head.place;
    if (head.type == kCheckpointType) checkpoints_.push_back(head.place);
    at += static_cast<int64_t>(head.place.size);
  }
  end_ = std::min(at, end_);
}

JfrChunkLayout::Head JfrChunkLayout::HeadAt(int64_t offset) const {
  const std::span<const uint8_t> bytes = file_.At(offset, kMaxEventHead);
  ByteCursor cursor(bytes.first(std::min(bytes.size(), kMaxEventHead)), header_.integers);
  Head head;
  const uint32_t size = cursor.Int();
  head.type = cursor.Long();
  if (cursor.failed() || static_cast<int64_t>(size) > end_ - offset) return head;
  head.place = {offset, size};
  cursor.Long();
  cursor.Long();
  head.delta = static_cast<int64_t>(cursor.Long());  // 0 if the event is too short to have a delta
  return head;
}

Status JfrChunkLayout::ReadSchema(JfrSchema& schema) const {
  if (metadata_.size == 0) return Error("the description of its events is missing");
  if (metadata_.size > kMaxMetadataBytes) {
    return Error("the description of its events is too long (" + std::to_string(metadata_.size) +
                 " bytes)");
  }
  std::vector<uint8_t> bytes;
  file_.AppendTo(bytes, metadata_.offset, metadata_.size);
  ByteCursor cursor(bytes, header_.integers);
  cursor.Int();
  cursor.Long();
  Result<JfrSchema> parsed = JfrSchema::Parse(cursor, header_.integers);
  if (!parsed) return parsed.error();
  schema = std::move(parsed).value();
  return {};
}

}  // namespace jprof::profile
