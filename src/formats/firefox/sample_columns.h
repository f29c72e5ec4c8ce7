// SampleRoles: which kinds of samples go to which tables of the format. SampleColumns: the samples
// table of a thread, whose columns grow row by row. Used by one thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/firefox/code_tables.h"
#include "formats/firefox/thread_samples.h"
#include "formats/json_writer.h"
#include "profile/profile.h"

namespace jprof::firefox {

enum class Weight : uint8_t { kSamples, kMillis };

// SampleRoles: the table of the format for the samples of each kind. Plain value.
struct SampleRoles {
  // `chosen`: the kind that is shown first.
  SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen);

  // The kinds in samples tables of threads. The first kind is in the threads of the process, each
  // other kind in the threads of an additional process.
  std::vector<uint32_t> sampled;
  Weight weight = Weight::kSamples;  // the unit of the first kind's weights
  // The kind whose samples are allocations.
  std::optional<uint32_t> allocated;
  bool is_live = false;  // the allocations are objects that were never freed
};

// Returns a time as it is written: relative to `start_ns`, and rounded down to 100 ns so that
// differences add up. Not negative: the time that samples cover can start before the recording.
constexpr int64_t RelativeTime(int64_t time_ns, int64_t start_ns) {
  return std::max<int64_t>(time_ns - start_ns, 0) / 100 * 100;
}

// JsonColumn: the elements of a JSON array of numbers, kept until all columns are complete.
class JsonColumn {
 public:
  // Removes all elements and keeps the memory.
  void Clear() { used_ = 0; }

  void Number(uint64_t value) {
    char* const at = Room();
    if (value < 10) {
      *at = static_cast<char>('0' + value);
      Keep(at + 1);
    } else {
      Keep(std::to_chars(at, at + kMillisSize, value).ptr);
    }
  }
  void Millis(int64_t nanos) { Keep(MillisText(nanos, Room())); }
  void Null() {
    constexpr std::string_view kNull = "null";
    Keep(static_cast<char*>(std::memcpy(Room(), kNull.data(), kNull.size())) + kNull.size());
  }

  // Returns all elements; a comma follows each.
  std::string_view text() const { return {bytes_.get(), used_}; }

  // Writes the array as the next member of an object.
  void Write(std::string_view key, JsonWriter& json) const {
    json.BeginArray(key);
    // Writes pieces, which keep the stream's buffer small, without their last commas.
    for (std::string_view rest = text(); !rest.empty();) {
      const size_t size = rest.size() <= kPiece ? rest.size() : rest.rfind(',', kPiece - 1) + 1;
      json.Raw(rest.substr(0, size - 1));
      rest.remove_prefix(size);
    }
    json.EndArray();
  }

 private:
  static constexpr size_t kRoom = kMillisSize + 1;
  static constexpr size_t kPiece = size_t{64} * 1024;

  char* Room() {
    if (size_ - used_ < kRoom) Grow();
    return bytes_.get() + used_;
  }
  void Keep(char* end) {
    *end++ = ',';
    used_ = static_cast<size_t>(end - bytes_.get());
  }
  void Grow() {
    const size_t size = size_ == 0 ? 1024 : 2 * size_;
    auto bytes = std::make_unique_for_overwrite<char[]>(size);
    if (used_ != 0) std::memcpy(bytes.get(), bytes_.get(), used_);
    bytes_ = std::move(bytes);
    size_ = size;
  }

  std::unique_ptr<char[]> bytes_;
  size_t used_ = 0, size_ = 0;
};

// SampleColumns: the samples table of a thread.
class SampleColumns : public RowSink {
 public:
  explicit SampleColumns(CodeTables& code) : code_(code) {}

  // Starts the table of the next thread. Times are written relative to `start_ns`.
  void Clear(int64_t start_ns, Weight weight);

  void Add(const SampleRow& row) override;

  // Writes the table as the next value.
  void Write(JsonWriter& json) const;

  bool empty() const { return length_ == 0; }
  // Return the times of the first and the last row, relative to `start_ns` of Clear.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  void EndEvenWeights();

  CodeTables& code_;
  int64_t start_ns_ = 0;
  Weight weight_ = Weight::kSamples;
  JsonColumn stacks_, deltas_, weights_, cpu_deltas_;
  bool is_even_ = true;  // every row has weight 1, or 0 if it has no stack: weights_ is not filled
  uint64_t length_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace jprof::firefox
