// JfrChunk: one chunk of a recording in its side file: header, metadata, events, checkpoint.
// ChunkClock: the time base of a recording's chunks. FieldWriter: the encoding of an event.
//
// JfrChunk is part of JfrWriter and not thread-safe. Append never fails. After a write error,
// status() returns the error, and Finish still makes a valid chunk of the events that fit on the
// disk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "jfr/format/jfr_types.h"
#include "jfr/writer/constant_pools.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"
#include "jfr/writer/jfr_events.h"
#include "jfr/writer/side_file.h"
#include "sigsafe/base/check.h"

namespace jprof {

// ChunkClock: the time base of a recording file. Converts CLOCK_MONOTONIC to the file's ticks.
//
// Ticks are 100 ns long and count from base_monotonic_ns. So the numbers are small and take few
// bytes (at most 5 in the first 57 minutes). All chunks of a file share one clock, because JDK
// readers use the base and the frequency of the first chunk for the whole file. Plain value, usable
// on any thread.
struct ChunkClock {
  static constexpr int64_t kNanosPerTick = 100;
  static constexpr int64_t kTicksPerSecond = 1'000'000'000 / kNanosPerTick;

  int64_t start_epoch_ns = 0;     // CLOCK_REALTIME at base_monotonic_ns
  int64_t base_monotonic_ns = 0;  // CLOCK_MONOTONIC at tick 0

  // Reads both clocks now. The pair is consistent within the time of two clock readings.
  static ChunkClock Now();

  // Returns the tick that contains a time of CLOCK_MONOTONIC. Ticks before the base are negative.
  int64_t Ticks(int64_t monotonic_ns) const {
    const int64_t elapsed_ns = monotonic_ns - base_monotonic_ns;
    const int64_t ticks = elapsed_ns / kNanosPerTick;
    return elapsed_ns % kNanosPerTick < 0 ? ticks - 1 : ticks;
  }

  int64_t MonotonicNanos(int64_t ticks) const { return base_monotonic_ns + ticks * kNanosPerTick; }

  // Returns nanoseconds since the epoch at a tick. The result is exact, so that the starts of
  // chunks agree with the ticks of events.
  int64_t EpochNanos(int64_t ticks) const { return start_epoch_ns + ticks * kNanosPerTick; }
};

// FieldWriter: writes the fields of one event in the encodings of the file. Used by the recorder's
// thread.
class FieldWriter {
 public:
  FieldWriter(JfrEncoder& out, ConstantPools& pools, const ChunkClock& clock)
      : out_(out), pools_(pools), clock_(clock) {}

  // Writes a time unchanged, even a time before the start of the chunk or of the file: an event
  // that began in an earlier chunk keeps its true start, as in the JDK's files. The first call for
  // an event sets ticks().
  void Time(int64_t monotonic_ns) {
    const int64_t ticks = clock_.Ticks(monotonic_ns);
    if (!ticks_) ticks_ = ticks;
    out_.Long(ticks);
  }
  void Duration(int64_t nanos) { out_.Long(nanos / ChunkClock::kNanosPerTick); }
  void Int(uint32_t value) { out_.Varint(value); }
  void Long(int64_t value) { out_.Long(value); }
  void Float(float value) { out_.Float(value); }
  void Double(double value) { out_.Double(value); }
  void Bool(bool value) { out_.Byte(value ? 1 : 0); }
  void String(std::string_view utf8) { out_.String(utf8); }
  // Begins the appended fields; EndAppended ends them. They begin with the head of an event, so
  // that readers which expect fixed fields take them for an event of an unknown type and skip them.
  void BeginAppended() { appended_start_ = out_.BeginEvent(TypeId(JfrType::kAppended)); }
  void EndAppended() {
    if (appended_start_) out_.EndEvent(*appended_start_);
  }
  void Key(JfrType type, uint32_t key) {
    pools_.Reference(type, key);
    out_.Varint(key);
  }

  // Writes the values of the fields that the recording appends to the event, in order. Missing
  // values are 0 or null.
  void Trailing(std::span<const TrailingField> fields, std::span<const TrailingValue> values) {
    auto next = values.begin();
    for (const TrailingField& field : fields) {
      if (field.type == JfrType::kAppended) {
        BeginAppended();
        continue;
      }
      const TrailingValue value = next != values.end() ? *next++ : TrailingValue(int64_t{0});
      if (field.type == JfrType::kString) {
        String(value.text);
      } else {
        Long(value.number);
      }
    }
  }

  // Returns the time of the event in ticks. REQUIRES: Time was called.
  int64_t ticks() const {
    JPROF_CHECK(ticks_);
    return *ticks_;
  }

 private:
  JfrEncoder& out_;
  ConstantPools& pools_;
  const ChunkClock& clock_;
  std::optional<int64_t> ticks_;
  std::optional<size_t> appended_start_;
};

class JfrChunk {
 public:
  // Begins a chunk in `file`. The header of the chunk says "being written" until Finish. Times are
  // ticks of `clock`. REQUIRES: `file` is empty; clock, pools and declarations outlive the chunk.
  static Result<JfrChunk> Create(SideFile file, const ChunkClock& clock, ConstantPools& pools,
                                 const EventDeclarations& declarations, int64_t start_ticks);

  // Appends an event. Neither allocates nor fails; a call can write 64 KB to the file. Drops an
  // event that is not declared, since no reader would know its fields. `trailing` are the values of
  // the appended fields (int64_t or std::string_view). Without `trailing`, writes the values from
  // SetTrailing. REQUIRES: if there are `trailing` values, there is one for each declared appended
  // field.
  template <class Event, class... Trailing>
  void Append(const Event& event, const Trailing&... trailing) {
    if (!declarations_->Has(Event::kType)) {
      ++dropped_;
      return;
    }
    Encode(event, trailing...);
    ++appended_;
    file_.FlushIfFull();
    dropped_ += !file_.status().ok();
  }

  // Sets the values of appended fields for events that are appended without `trailing` values. The
  // values must live until the last such event.
  void SetTrailing(std::span<const TrailingValue> values) { trailing_ = values; }

  // Writes the constants and the final header. After a write error, or if the constants do not fit
  // on the disk, drops the last events until there is room for the constants. `lost_before`, for
  // jdk.DataLoss, is the number of bytes of events that earlier chunks have lost. Append must not
  // be called afterwards.
  Status Finish(int64_t end_ticks, int64_t lost_before);

  // REQUIRES: Finish succeeded.
  SideFile& file() { return file_; }

  int64_t last_ticks() const { return last_ticks_; }
  int64_t size() const { return file_.size(); }
  uint64_t appended() const { return appended_; }

  // The first write error, even if Finish worked around it.
  const Status& status() const { return file_.status().ok() ? first_error_ : file_.status(); }

  // The bytes of events so far.
  int64_t event_bytes() const { return file_.size() - events_start_; }
  // The bytes of events that Finish could not keep.
  int64_t lost_bytes() const { return lost_bytes_; }

  // The number of events that were not declared or were lost to write errors. After Finish has
  // succeeded, the number of lost events is exact. Before that, it is the number of events that
  // were appended after the write error.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Prefix {
    int64_t end;      // offset after the last event
    uint64_t events;  // number of events
  };

  JfrChunk(SideFile file, const ChunkClock& clock, ConstantPools& pools,
           const EventDeclarations& declarations, int64_t start_ticks);

  template <class Event, class... Trailing>
  void Encode(const Event& event, const Trailing&... trailing) {
    const size_t start = file_.buffer().BeginEvent(TypeId(Event::kType));
    FieldWriter fields(file_.buffer(), *pools_, *clock_);
    WriteFields(fields, event);
    if constexpr (sizeof...(trailing) == 0) {
      EndEvent(fields, Event::kType, trailing_, start);
    } else {
      EndEvent(fields, Event::kType, std::array{TrailingValue(trailing)...}, start);
    }
  }

  void EndEvent(FieldWriter& fields, JfrType type, std::span<const TrailingValue> trailing,
                size_t start);
  void WriteCheckpoint();
  bool DropEventsBeyond(int64_t checkpoint_size, int64_t events_end, int64_t lost_before);
  Prefix EventsBefore(int64_t limit) const;

  SideFile file_;
  const ChunkClock* clock_;
  ConstantPools* pools_;
  const EventDeclarations* declarations_;
  int64_t start_ticks_;
  int64_t last_ticks_;        // latest time in the chunk
  int64_t events_start_ = 0;  // offset after the metadata
  uint64_t appended_ = 0;
  uint64_t dropped_ = 0;
  int64_t lost_bytes_ = 0;
  Status first_error_;
  std::span<const TrailingValue> trailing_;
};

}  // namespace jprof
