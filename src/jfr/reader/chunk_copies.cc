#include "jfr/reader/chunk_copies.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "jfr/reader/jfr_chunk_header.h"
#include "jfr/reader/jfr_reader.h"

namespace jprof::profile {
namespace {

// The largest number of originals with which a chunk is compared.
constexpr size_t kMostOriginals = 4;
constexpr size_t kComparedAtOnce = 512 * 1024;

struct ChunkPlace {
  size_t file;
  int64_t offset;
  int64_t size;  // number of present bytes
  int64_t start_ns;
  int64_t start_ticks;

  bool BeginsWith(const ChunkPlace& other) const {
    return start_ns == other.start_ns && start_ticks == other.start_ticks;
  }
};

// Orders chunks by start. Chunks with the same start are ordered by size, the longest first, and
// then by file and offset.
bool ComesBefore(const ChunkPlace& a, const ChunkPlace& b) {
  return std::tuple(a.start_ns, a.start_ticks, -a.size, a.file, a.offset) <
         std::tuple(b.start_ns, b.start_ticks, -b.size, b.file, b.offset);
}

// True if all bytes of `part` after its header equal the bytes of `whole` at the same offsets.
bool IsPartOf(const ChunkPlace& part, RecordingFile& part_file, const ChunkPlace& whole,
              RecordingFile& whole_file) {
  for (int64_t at = JfrChunkHeader::kSize; at < part.size;) {
    const auto wanted = static_cast<size_t>(
        std::min<int64_t>(part.size - at, static_cast<int64_t>(kComparedAtOnce)));
    const std::span<const uint8_t> ours = part_file.At(part.offset + at, wanted);
    const std::span<const uint8_t> theirs = whole_file.At(whole.offset + at, wanted);
    if (ours.size() < wanted || theirs.size() < wanted) return false;
    if (!std::ranges::equal(ours.first(wanted), theirs.first(wanted))) return false;
    at += static_cast<int64_t>(wanted);
  }
  return true;
}

}  // namespace

Result<ChunkCopies> ChunkCopies::Find(size_t files, const OpenFile& open) {
  ChunkCopies copies;
  std::vector<ChunkPlace> places;
  for (size_t number = 0; number < files; ++number) {
    Result<RecordingFile> file = open(number);
    if (!file) return file.error();
    copies.files_.push_back({file.value().name()});
    ForEachChunk(file.value(), [&](int64_t offset, int64_t size, const JfrChunkHeader& header) {
      places.push_back({number, offset, size, header.start_epoch_ns, header.start_ticks});
      ++copies.files_[number].chunks;
    });
  }
  std::ranges::sort(places, ComesBefore);
  std::vector<ChunkPlace> originals;
  for (const ChunkPlace& place : places) {
    if (!originals.empty() && !place.BeginsWith(originals.front())) originals.clear();
    bool is_copy = false;
    for (const ChunkPlace& original : originals) {
      Result<RecordingFile> ours = open(place.file);
      if (!ours) return ours.error();
      Result<RecordingFile> theirs = open(original.file);
      if (!theirs) return theirs.error();
      if (!IsPartOf(place, ours.value(), original, theirs.value())) continue;
      is_copy = true;
      File& file = copies.files_[place.file];
      if (file.copies.empty()) file.original = original.file;
      file.copies.insert(place.offset);
      break;
    }
    if (!is_copy && originals.size() < kMostOriginals) originals.push_back(place);
  }
  return copies;
}

bool ChunkCopies::HasOnlyCopies(size_t file) const {
  return files_[file].chunks != 0 && files_[file].copies.size() == files_[file].chunks;
}

std::vector<std::string> ChunkCopies::Notes() const {
  std::vector<std::string> notes;
  for (size_t number = 0; number < files_.size(); ++number) {
    const File& file = files_[number];
    if (file.copies.empty()) continue;
    const std::string where = file.original == number
                                  ? "are there twice"
                                  : "are in '" + files_[file.original].name + "' too";
    notes.push_back(std::to_string(file.copies.size()) + " of the " + std::to_string(file.chunks) +
                    " chunks of '" + file.name + "' " + where + ": each of them counts once");
  }
  return notes;
}

}  // namespace jprof::profile
