// JfrChunk: one chunk of a recording, in its side file: header, metadata, events, checkpoint.
//
// Part of JfrWriter; one thread. Append never fails: an error is kept, and Finish still makes a
// valid chunk of the events that fit on the disk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "jfr/writer/chunk_clock.h"
#include "jfr/writer/constant_pools.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/field_writer.h"
#include "jfr/writer/jfr_events.h"
#include "jfr/writer/side_file.h"
#include "sigsafe/base/check.h"

namespace jprof {

class JfrChunk {
 public:
  // The chunk's header says "being written" until Finish. Times are ticks of `clock`.
  // REQUIRES: `file` is empty; clock, pools and declarations outlive the chunk.
  static Result<JfrChunk> Create(SideFile file, const ChunkClock& clock, ConstantPools& pools,
                                 const EventDeclarations& declarations, int64_t start_ticks);

  // Neither allocates nor fails; occasionally writes 64 KB. An undeclared event is dropped: no
  // reader would know its fields. REQUIRES: as many appended fields as there are `trailing` values
  // (int64_t or std::string_view). Without them the fields have the values of SetTrailing.
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

  // For events that have appended fields; a view.
  void SetTrailing(std::span<const TrailingValue> values) { trailing_ = values; }

  // Writes the constants and the final header. After a write error, or if the constants do not fit,
  // keeps as many of the first events as leave room for the constants. No event may follow.
  // `lost_before`: bytes of events that earlier chunks lost, for jdk.DataLoss.
  Status Finish(int64_t end_ticks, int64_t lost_before);

  // REQUIRES: Finish succeeded.
  SideFile& file() { return file_; }

  int64_t last_ticks() const { return last_ticks_; }
  int64_t size() const { return file_.size(); }
  uint64_t appended() const { return appended_; }

  // The first write error, also when Finish worked around it.
  const Status& status() const { return file_.status().ok() ? first_error_ : file_.status(); }

  // The bytes of events so far, and the bytes that Finish could not keep.
  int64_t event_bytes() const { return file_.size() - events_start_; }
  int64_t lost_bytes() const { return lost_bytes_; }

  // Events lost to write errors: exact after Finish has succeeded, before that the events after the
  // error.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Prefix {
    int64_t end;      // offset behind the last event
    uint64_t events;  // their number
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
  bool KeepEventsThatLeaveRoomFor(int64_t checkpoint_size, int64_t events_end, int64_t lost_before);
  Prefix EventsBefore(int64_t limit) const;

  SideFile file_;
  const ChunkClock* clock_;
  ConstantPools* pools_;
  const EventDeclarations* declarations_;
  int64_t start_ticks_;
  int64_t last_ticks_;        // the latest time in the chunk
  int64_t events_start_ = 0;  // offset behind the metadata
  uint64_t appended_ = 0;
  uint64_t dropped_ = 0;
  int64_t lost_bytes_ = 0;
  Status first_error_;
  std::span<const TrailingValue> trailing_;
};

}  // namespace jprof
