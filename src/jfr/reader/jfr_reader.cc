#include "jfr/reader/jfr_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/gzip_head.h"
#include "base/memory_reserve.h"

namespace jprof::profile {
namespace {

constexpr uint16_t kOldestMajor = 1;
constexpr uint16_t kNewestMajor = 2;
constexpr uint32_t kNotWanted = 1;
// Caps the size of an event: a sparse file can have an event of any size at no cost in disk space.
// The longest events are thread dumps.
constexpr uint32_t kMaxEventBytes = 64 << 20;

constexpr uint64_t kMetadataType = 0;
constexpr uint64_t kCheckpointType = 1;
constexpr size_t kMaxEventHead = 48;  // bytes of size, type, start, duration and delta
// Caps the bytes of the metadata, because a schema takes up to 50 times the memory of its metadata.
// The metadata of the JDK's own types has 200 kB.
constexpr size_t kMaxMetadataBytes = 16 << 20;

struct EventPlace {
  int64_t offset = 0;  // offset in the file
  size_t size = 0;
};

// JfrChunkLayout: finds the positions of a chunk's end, metadata and checkpoints.
//
// In a finished chunk, the header refers to the metadata and to the last checkpoint, and each
// checkpoint refers to the previous one. If the chunk is unfinished or truncated, or if the header
// is wrong, all events up to the first incomplete one are scanned.
class JfrChunkLayout {
 public:
  JfrChunkLayout(RecordingFile& file, int64_t offset, const JfrChunkHeader& header)
      : file_(file), offset_(offset), header_(header), end_(offset + JfrChunkHeader::kSize) {}

  // Finds the positions. Returns a text about the fault of the chunk; empty if there is none. If
  // the chunk has a fault, the other functions describe its intact part.
  std::string Find();

  int64_t end() const { return end_; }                                         // offset in the file
  const std::vector<EventPlace>& checkpoints() const { return checkpoints_; }  // oldest first
  Status ReadSchema(JfrSchema& schema) const;

 private:
  struct Head {
    EventPlace place;
    uint64_t type = 0;
    int64_t delta = 0;  // added to the offset of a checkpoint, gives the previous one; 0: none
  };

  bool FollowHeader();
  void Scan();
  // Returns the head of the event at `offset`; its size is 0 if the event is incomplete.
  Head HeadAt(int64_t offset) const;

  RecordingFile& file_;
  const int64_t offset_;
  const JfrChunkHeader& header_;
  int64_t end_;
  EventPlace metadata_;
  std::vector<EventPlace> checkpoints_;
};

std::string JfrChunkLayout::Find() {
  const int64_t rest = file_.size() - offset_;
  const bool fits = header_.size >= JfrChunkHeader::kSize && header_.size <= rest;
  if (header_.state == 0 && fits) {
    end_ = offset_ + header_.size;
    if (FollowHeader()) return {};
    Scan();
    end_ = offset_ + header_.size;  // the next chunk starts here, whatever this one contains
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
    // Checkpoints that overlap are refused: together they could be many times as long as the file.
    if (static_cast<int64_t>(checkpoint.place.size) > end - at) return false;
    end = at;
    checkpoints_.push_back(checkpoint.place);
    if (checkpoint.delta == 0) break;
    // The chain is followed only backwards, so that it ends. This check also keeps `at + delta`
    // from overflowing.
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

class JfrReader {
 public:
  JfrReader(RecordingFile& file, JfrVisitor& visitor) : file_(file), visitor_(visitor) {}

  Result<JfrReadReport> Read() {
    int64_t offset = 0;
    while (offset < file_.size()) {
      if (MemoryIsShort()) return OutOfMemory();
      const auto header = JfrChunkHeader::Parse(file_.At(offset, JfrChunkHeader::kSize));
      if (!header) {
        if (offset == 0) return NoRecording();
        Miss(offset, std::to_string(file_.size() - offset) + " bytes that are no chunk");
        break;
      }
      if (header->major < kOldestMajor || header->major > kNewestMajor) {
        Miss(offset, "a chunk of format version " + std::to_string(header->major) + "." +
                         std::to_string(header->minor) + " (known: 1 and 2)");
        break;
      }
      offset = ReadChunk(offset, *header);
    }
    if (report_.chunks == 0) {
      return Error("'" + file_.name() + "' has nothing that can be read: " +
                   (report_.missing.empty() ? "the file is empty" : report_.missing) + ".");
    }
    if (further_faults_ != 0) {
      report_.missing += " (and " + std::to_string(further_faults_) + " more faults)";
    }
    return std::move(report_);
  }

 private:
  Error NoRecording() {
    const std::span<const uint8_t> head = file_.At(0, 2);
    if (IsGzip({reinterpret_cast<const char*>(head.data()), head.size()})) {
      return Error("'" + file_.name() + "' is compressed: unpack it with gunzip first.");
    }
    if (JfrChunkHeader::HasMagic(file_.At(0, 4))) {
      return Error("'" + file_.name() + "' ends within the header of its first chunk.");
    }
    return NotARecording(file_.name());
  }

  // Keeps the first fault and counts the others.
  void Miss(int64_t offset, const std::string& what) {
    if (report_.missing.empty()) {
      report_.missing = "at byte " + std::to_string(offset) + ": " + what;
    } else {
      ++further_faults_;
    }
  }

  // Reads the chunk at `offset`. Returns the offset of the next chunk.
  int64_t ReadChunk(int64_t offset, const JfrChunkHeader& header) {
    JfrChunkLayout layout(file_, offset, header);
    const std::string fault = layout.Find();
    if (!visitor_.TakesChunk(offset)) {
      ++report_.chunks;
      return layout.end();
    }
    if (!fault.empty()) Miss(offset, fault);
    JfrChunk chunk;
    chunk.header = header;
    chunk.number = chunk_number_++;
    Status schema = layout.ReadSchema(chunk.schema);
    if (!schema) {
      Miss(offset, "a chunk of which " + schema.error().message());
      return layout.end();
    }
    for (const EventPlace& checkpoint : layout.checkpoints()) {
      if (!chunk.constants.Add(file_, checkpoint.offset, checkpoint.size, chunk.schema,
                               header.integers)) {
        Miss(checkpoint.offset, "constants that are damaged");
      }
    }
    chunk.constants.Seal();
    ++report_.chunks;
    directly_wanted_.fill(0);
    wanted_.Clear();
    visitor_.BeginChunk(chunk);
    ReadEvents(chunk, offset + JfrChunkHeader::kSize, layout.end());
    visitor_.EndChunk();
    return layout.end();
  }

  void ReadEvents(JfrChunk& chunk, int64_t from, int64_t end) {
    constexpr size_t kMaxHead = 18;  // bytes of size and type id
    std::span<const uint8_t> window;
    while (from < end && !MemoryIsShort()) {
      if (window.size() < kMaxHead) window = file_.At(from, kMaxHead);
      ByteCursor cursor(window, chunk.header.integers);
      const uint32_t size = cursor.Int();
      if (cursor.failed() || size == 0 || static_cast<int64_t>(size) > end - from) {
        Miss(from, "an event of " + std::to_string(size) + " bytes in a chunk with " +
                       std::to_string(end - from) + " left");
        return;
      }
      const uint64_t type = cursor.Long();
      if (type > 1) {
        ++report_.events;
        const uint32_t wanted = WantedNumber(chunk, type);
        if (wanted != kNotWanted && size > kMaxEventBytes) {
          Miss(from, "an event of " + std::to_string(size) + " bytes, which is too long");
        } else if (wanted != kNotWanted) {
          if (window.size() < size) window = file_.At(from, size);
          Deliver(chunk, wanted, window.first(std::min<size_t>(size, window.size())));
        }
      }
      window = window.subspan(std::min<size_t>(size, window.size()));
      from += size;
    }
  }

  // Returns the index of the type plus 2; kNotWanted if the visitor does not want the type.
  uint32_t WantedNumber(const JfrChunk& chunk, uint64_t type_id) {
    uint32_t& wanted = type_id < kDirect ? directly_wanted_[type_id] : wanted_.At(type_id);
    if (wanted == 0) {
      const RecordedType* type = chunk.schema.WithId(type_id);
      const bool wants = type != nullptr && type->is_readable && visitor_.Wants(*type);
      wanted = wants ? chunk.schema.IndexOf(*type) + 2 : kNotWanted;
    }
    return wanted;
  }

  void Deliver(const JfrChunk& chunk, uint32_t wanted, std::span<const uint8_t> event) {
    ByteCursor fields(event, chunk.header.integers);
    fields.Int();
    fields.Long();
    if (!fields.failed()) {
      visitor_.OnEvent(JfrEvent(chunk, chunk.schema.type(wanted - 2), fields));
    }
  }

  RecordingFile& file_;
  JfrVisitor& visitor_;
  JfrReadReport report_;
  int64_t further_faults_ = 0;
  int chunk_number_ = 0;
  // The results of WantedNumber, indexed by event type id; 0: not asked yet.
  static constexpr uint64_t kDirect = 1024;
  std::array<uint32_t, kDirect> directly_wanted_{};
  KeyMap wanted_;  // the results for type ids from kDirect on
};

}  // namespace

void ForEachChunk(
    RecordingFile& file,
    const std::function<void(int64_t offset, int64_t size, const JfrChunkHeader& header)>& visit) {
  int64_t offset = 0;
  while (offset < file.size()) {
    const auto header = JfrChunkHeader::Parse(file.At(offset, JfrChunkHeader::kSize));
    if (!header) return;
    const int64_t left = file.size() - offset;
    const bool is_whole =
        header->state == 0 && header->size >= JfrChunkHeader::kSize && header->size <= left;
    visit(offset, is_whole ? header->size : left, *header);
    if (!is_whole) return;
    offset += header->size;
  }
}

std::optional<int64_t> EarliestStart(RecordingFile& file) {
  std::optional<int64_t> earliest;
  ForEachChunk(file, [&](int64_t, int64_t, const JfrChunkHeader& header) {
    earliest = std::min(earliest.value_or(header.start_epoch_ns), header.start_epoch_ns);
  });
  return earliest;
}

Result<JfrReadReport> ReadJfr(const std::string& path, JfrVisitor& visitor) {
  Result<RecordingFile> file = RecordingFile::Open(path);
  if (!file) return file.error();
  return ReadJfr(std::move(file).value(), visitor);
}

Result<JfrReadReport> ReadJfr(RecordingFile file, JfrVisitor& visitor) {
  return JfrReader(file, visitor).Read();
}

}  // namespace jprof::profile
