// EventTables: the events of a recording as tables of the page: a table per type, a row per event,
// a column per field. One thread.
//
// Bounded: of types with many events the first are kept, and the page says how many there are.
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
#include "profile/analysis/blockers.h"
#include "profile/analysis/event_rows.h"
#include "profile/profile_event.h"
#include "profile/text_table.h"

namespace jprof {

// BlockerTable: who waited for whom, as a table of the page: pairs of the thread that held a lock
// and one that waited for it, and deadlocks.
class BlockerTable {
 public:
  // REQUIRES: IsOfWait(the event's type).
  void OnEvent(const profile::ProfileEvent& event);

  // An element of the array `events`; nothing without a wait for a thread that is known.
  void Write(const profile::Profile& profile, JsonWriter& json);

  // What there is to say of it; empty: nothing. After Write.
  std::string NoteOf(const profile::Profile& profile) const;

 private:
  static constexpr size_t kMostPairs = 20'000;  // of which the page shows the heaviest

  Blockers blockers_{kMostPairs};
};

class EventTables : public PageSection {
 public:
  static constexpr size_t kMaxTypes = 500;
  static constexpr size_t kMaxRows = 5'000;  // of a type
  static constexpr size_t kMaxCells = 1'000'000;
  static constexpr size_t kMaxTextBytes = size_t{8} << 20;
  static constexpr size_t kMaxText = 1'000;  // longer values are cut

  // Cut to kMaxText bytes, between characters.
  static std::string Shortened(std::string text);

  bool WantsEvents(const profile::RecordedType& type) override;
  // False, counted, for a table that is full and whose events no other needs.
  bool TakesEvent(const profile::RecordedType& type) override;
  void OnEvent(const profile::ProfileEvent& event) override;
  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  struct EventCell {
    double number = 0;
    uint32_t text = 0;  // of texts_, plus 1; 0: none, or the number says it
  };
  struct Column {
    profile::EventColumn column;
    std::vector<EventCell> cells = {};  // may be shorter than the table: the rest has no value
  };
  struct EventLine {
    int64_t time_ns, duration_ns;
    uint32_t thread, stack;  // plus 1; 0: none
  };
  struct Table {
    std::string name, label;
    uint64_t count = 0;
    std::vector<EventLine> rows = {};
    std::vector<Column> columns = {};
  };
  // The table of a type of the chunk that is being read, and the columns of its fields.
  struct ChunkType {
    size_t table = 0;
    std::vector<size_t> columns;
    bool is_of_wait = false;
  };

  bool IsFull(const Table& table) const {
    return table.rows.size() == kMaxRows || cells_ >= kMaxCells;
  }
  const ChunkType* ChunkTypeOf(const profile::JfrEvent& event);
  EventCell CellOf(const profile::EventColumn& column, profile::EventValue value);
  void WriteTable(const Table& table, const PageModel& page, JsonWriter& json) const;
  void WriteColumn(const Column& column, size_t rows, JsonWriter& json) const;

  std::deque<Table> tables_;                            // never moves one
  std::map<std::string, size_t, std::less<>> numbers_;  // of tables, by name of the type
  std::unordered_map<const profile::RecordedType*, ChunkType> chunk_types_;
  const profile::RecordedType* full_type_ = nullptr;  // the last one found full, and its table
  Table* full_table_ = nullptr;
  BlockerTable blockers_;
  uint64_t of_other_types_ = 0;  // events of types beyond kMaxTypes
  profile::TextTable texts_;
  size_t text_bytes_ = 0;
  size_t cells_ = 0;
};

}  // namespace jprof
