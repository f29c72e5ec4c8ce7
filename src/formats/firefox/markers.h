// Markers collects and writes the events that are not samples: garbage collections, locks, parks,
// I/O, exceptions, and all other events with a duration or a stack. Used by one thread.
//
// Every event type has a schema in the output. The fields of an event are kept as the JSON that
// Write writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/firefox/categories.h"
#include "formats/firefox/code_tables.h"
#include "profile/analysis/event_rows.h"
#include "profile/profile_event.h"

namespace jprof {
class JsonWriter;
}

namespace jprof::firefox {

class Markers {
 public:
  // Stands for the missing thread of an event that is about the JVM as a whole.
  static constexpr uint32_t kNoThread = 0xFFFFFFFF;

  explicit Markers(profile::TextTable& strings) : strings_(strings) {}

  static bool Wants(const profile::RecordedType& type);
  void OnEvent(const profile::ProfileEvent& event);

  // Moves the markers of thread `from` to thread `to`.
  void Join(uint32_t from, uint32_t to);
  size_t CountOf(uint32_t thread) const;

  // Returns the threads with markers in ascending order. If kNoThread has markers, it is the last.
  std::vector<uint32_t> Threads() const;
  // Returns the time of the first marker; INT64_MAX if there are no markers.
  int64_t first_ns() const { return first_ns_; }

  // Writes the value of a thread's `markers`, with times relative to `start_ns`.
  void Write(uint32_t thread, int64_t start_ns, CodeTables& code, JsonWriter& json) const;
  // Writes the value of meta.markerSchema.
  void WriteSchemas(JsonWriter& json) const;

 private:
  struct Field {
    std::string key, label;
    std::string_view format;
  };
  struct Schema {
    std::string type;
    std::string label;
    uint32_t name = 0;  // number in the table of strings
    Category category = Category::kOther;
    std::string_view place;
    bool is_graph = false;
    std::vector<Field> fields;
    bool has_all_fields = true;
  };
  struct Marker {
    int64_t time_ns, duration_ns;
    uint32_t schema;
    std::optional<uint32_t> stack;
    size_t data, data_size;  // offset and size of the marker's members in data_
  };
  // The schema for an event type of the current chunk, and the number of the schema's field for
  // each column of the type.
  struct Plan {
    uint32_t schema = 0;
    std::vector<profile::ValueForm> forms;
    // Indexed by column. If the schema has no field for a column, the element is the number of
    // fields of the schema.
    std::vector<uint32_t> fields;
  };

  const Plan& PlanOf(const profile::JfrEvent& event);
  uint32_t SchemaOf(const profile::RecordedType& type);
  void AppendField(const Field& field, profile::ValueForm form, const profile::EventValue& value);

  profile::TextTable& strings_;
  std::vector<Schema> schemas_;
  std::map<std::string, uint32_t> schema_numbers_;  // keyed by type
  int plan_chunk_ = -1;
  std::map<uint64_t, Plan> plans_;  // keyed by event type of the current chunk
  std::map<uint32_t, std::vector<Marker>> by_thread_;
  std::string data_;  // members of JSON objects, each after a comma
  int64_t first_ns_ = INT64_MAX;
};

}  // namespace jprof::firefox
