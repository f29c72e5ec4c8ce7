// This file turns the samples of a thread into a table of the format. Used by one thread.
//
//   SampleRoles    says which kinds of samples go to which tables of the format
//   Add...Rows     add the samples of one kind in one thread as rows of a samples table
//   SampleColumns  is the samples table of a thread, whose columns grow row by row
//
// The front end learns only from the table when a thread did not run. So the table has two rows
// without a stack for each period in which the thread did not run: one at the start of the period
// and one at its end. Every row has the CPU time that the thread used since the previous row.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/firefox/code_tables.h"
#include "formats/firefox/sample_log.h"
#include "formats/json_writer.h"
#include "profile/profile.h"

namespace jprof::firefox {

enum class Weight : uint8_t { kSamples, kMillis };

// SampleRoles says which table of the format gets the samples of each kind. Plain value.
struct SampleRoles {
  // `chosen` is the kind that is shown first.
  SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen);

  // The kinds whose samples are in the samples tables of threads. The threads of the main process
  // have samples of the first kind. For each other kind, there are threads in an additional
  // process.
  std::vector<uint32_t> sampled;
  Weight weight = Weight::kSamples;  // the unit of the first kind's weights
  // The kind whose samples are written as allocations.
  std::optional<uint32_t> allocated;
  bool is_live = false;  // true: the allocations are objects that were never freed
};

struct SampleRow {
  int64_t time_ns = 0;
  uint64_t cpu_ns = 0;   // CPU time used since the previous row
  uint64_t samples = 0;  // 0 if the thread did not run; the row then has no stack
  uint32_t stack = 0;
  uint8_t idle = 0;  // subcategory of Idle
};

// RowSink gets rows in ascending order of time.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void Add(const SampleRow& row) = 0;
};

// CpuUses has the CPU time that a thread used, over time.
class CpuUses {
 public:
  struct Use {
    int64_t time_ns;
    uint64_t cpu_ns;
  };

  // REQUIRES: `samples` are samples of CPU time, of the kind `kind` and in ascending order of time.
  CpuUses(const profile::SampleKind& kind, std::span<const LoggedSample> samples);

  const std::vector<Use>& uses() const { return uses_; }
  // first_ns returns the start of the first use, and last_ns the end of the last use. REQUIRES:
  // uses() is not empty.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  std::vector<Use> uses_;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

// Adds rows for samples that were taken while the thread used CPU time. REQUIRES: the samples are
// of `kind` and in ascending order of time.
void AddCpuRows(const profile::SampleKind& kind, std::span<const LoggedSample> samples,
                RowSink& rows);

// Adds rows for samples of elapsed time. `cpu` is the thread's CPU time. It is nullptr if CPU time
// was not recorded; the state of the thread then says whether it ran.
void AddElapsedRows(const profile::Profile& profile, const profile::SampleKind& kind,
                    std::span<const LoggedSample> samples, const CpuUses* cpu, RowSink& rows);

// Adds rows for events with a duration. The member `samples` of a row is the duration in
// nanoseconds.
void AddEventRows(std::span<const LoggedSample> samples, RowSink& rows);

// Returns the time between two samples of a kind. Returns 10 ms, a guess, if the recording does not
// have this time.
int64_t IntervalOf(const profile::SampleKind& kind);

// Returns a time as it is written: relative to `start_ns`, and rounded down to 100 ns so that
// differences add up. Returns 0 for times before `start_ns`, because the time that a sample covers
// can start before the recording.
constexpr int64_t RelativeTime(int64_t time_ns, int64_t start_ns) {
  return std::max<int64_t>(time_ns - start_ns, 0) / 100 * 100;
}

// JsonColumn keeps the elements of a JSON array of numbers until all columns are complete.
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

  // Returns all elements, each with a comma after it.
  std::string_view text() const { return {bytes_.get(), used_}; }

  // Writes the array as the next member of an object.
  void Write(std::string_view key, JsonWriter& json) const {
    json.BeginArray(key);
    // Writes the elements in pieces, so that the buffer of the stream stays small. Raw writes the
    // commas between pieces, so the last comma of a piece is left out.
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

// SampleColumns is the samples table of a thread.
class SampleColumns : public RowSink {
 public:
  explicit SampleColumns(CodeTables& code) : code_(code) {}

  // Starts the table of the next thread. Times are written relative to `start_ns`.
  void Clear(int64_t start_ns, Weight weight);

  void Add(const SampleRow& row) override;

  // Writes the table as the next value.
  void Write(JsonWriter& json) const;

  bool empty() const { return length_ == 0; }
  // first_ns and last_ns return the times of the first and the last row, relative to the `start_ns`
  // that Clear received.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  void EndEvenWeights();

  CodeTables& code_;
  int64_t start_ns_ = 0;
  Weight weight_ = Weight::kSamples;
  JsonColumn stacks_, deltas_, weights_, cpu_deltas_;
  // True while all rows with a stack have the weight 1, and all others the weight 0. weights_ is
  // unused during this time.
  bool is_even_ = true;
  uint64_t length_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace jprof::firefox
