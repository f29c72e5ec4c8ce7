// EventTables writes the events of a recording as tables of the page: a table per type, a row per
// event, a column per field. It also writes a table of the allocated and live bytes, a table of the
// waits for locks (BlockerTable), and tables of wrong stacks (ValidationTables). Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/json_writer.h"
#include "formats/page/page_model.h"
#include "formats/page/validation_tables.h"
#include "profile/analysis/blockers.h"
#include "profile/analysis/event_rows.h"
#include "profile/profile_event.h"

namespace jprof {

// BlockerTable is a table of waits for locks. It has a row for each combination of a thread that
// held a lock, a thread that waited for the lock, and the class of the lock. BlockerTable also
// finds deadlocks.
class BlockerTable {
 public:
  // Adds the wait. REQUIRES: IsOfWait(the event's type).
  void OnEvent(const profile::ProfileEvent& event);

  // Writes the table as an element of the array `events`. Writes nothing if no owner of a lock was
  // recorded.
  void Write(const profile::Profile& profile, JsonWriter& json);

  // Returns a text about deadlocks and about the number of waits that are left out. Returns an
  // empty text if there are no deadlocks and no waits are left out.
  std::string NoteOf(const profile::Profile& profile) const;

 private:
  // The maximum number of rows while events are read. The page shows the heaviest kMaxRows rows.
  static constexpr size_t kMostPairs = 20'000;

  Blockers blockers_{kMostPairs};
};

// EventTables keeps the first events of each type, up to the limits below. The page says how many
// events of each type the recording has.
class EventTables : public PageSection {
 public:
  static constexpr size_t kMaxTypes = 500;
  static constexpr size_t kMaxRows = 5'000;  // rows of a type
  static constexpr size_t kMaxCells = 1'000'000;
  static constexpr size_t kMaxTextBytes = size_t{8} << 20;
  static constexpr size_t kMaxText = 1'000;  // bytes; longer values are cut

  // Returns `text` if it has at most kMaxText bytes. Otherwise cuts it between two characters so
  // that at most kMaxText bytes are left, appends "…" and returns the result.
  static std::string Shortened(std::string text);

  bool WantsEvents(const profile::RecordedType& type) override;
  // If the table of the event type is full and no other table needs the event, counts the event and
  // returns false.
  bool TakesEvent(const profile::RecordedType& type) override;
  void OnEvent(const profile::ProfileEvent& event) override;
  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  struct EventCell {
    double number = 0;
    uint32_t text = 0;  // number in texts_ plus 1; 0 if the value is `number` or missing
  };
  struct Column {
    profile::EventColumn column;
    // One cell for each row. If there are fewer cells than rows, the last rows have no value.
    std::vector<EventCell> cells = {};
  };
  struct EventLine {
    int64_t time_ns, duration_ns;
    uint32_t thread, stack;  // numbers of the profile plus 1; 0 if none
  };
  struct Table {
    std::string name, label;
    uint64_t count = 0;
    std::vector<EventLine> rows = {};
    std::vector<Column> columns = {};
  };
  // The table of an event type of the current chunk, and for each column of the type (ColumnsOf)
  // the number of the column in the table.
  struct ChunkType {
    size_t table = 0;
    std::vector<size_t> columns;
    bool is_of_wait = false;
    bool is_of_validation = false;
  };

  bool IsFull(const Table& table) const {
    return table.rows.size() == kMaxRows || cells_ >= kMaxCells;
  }
  const ChunkType* ChunkTypeOf(const profile::JfrEvent& event);
  EventCell CellOf(const profile::EventColumn& column, profile::EventValue value);
  void WriteTable(const Table& table, const PageModel& page, JsonWriter& json) const;
  void WriteColumn(const Column& column, size_t rows, JsonWriter& json) const;

  std::deque<Table> tables_;  // a deque, because full_table_ points to a table
  std::map<std::string, size_t, std::less<>> numbers_;  // numbers of tables, by name of the type
  std::unordered_map<const profile::RecordedType*, ChunkType> chunk_types_;
  const profile::RecordedType* full_type_ = nullptr;  // caches a type whose table is full
  Table* full_table_ = nullptr;
  BlockerTable blockers_;
  ValidationTables validation_;
  uint64_t of_other_types_ = 0;  // number of events whose types are beyond kMaxTypes
  profile::TextTable texts_;
  size_t text_bytes_ = 0;
  size_t cells_ = 0;
};

}  // namespace jprof
