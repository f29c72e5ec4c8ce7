// Markers: the events that are no samples: collections, locks, parks, I/O, exceptions, and whatever
// else has a duration or a stack. One thread.
//
// Every type of events is a schema. The fields of an event are kept as JSON, ready to be written.
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
  // Of threads that the event does not name: those of the JVM as a whole.
  static constexpr uint32_t kNoThread = 0xFFFFFFFF;

  explicit Markers(profile::TextTable& strings) : strings_(strings) {}

  static bool Wants(const profile::RecordedType& type);
  void OnEvent(const profile::ProfileEvent& event);

  // The markers of thread `from` become markers of `to`.
  void Join(uint32_t from, uint32_t to);
  size_t CountOf(uint32_t thread) const;

  // Threads with markers, kNoThread among them.
  std::vector<uint32_t> Threads() const;
  int64_t first_ns() const { return first_ns_; }  // the largest number: there are no markers

  // The value of a thread's `markers`. Times are written as since `start_ns`.
  void Write(uint32_t thread, int64_t start_ns, CodeTables& code, JsonWriter& json) const;
  // The value of meta.markerSchema.
  void WriteSchemas(JsonWriter& json) const;

 private:
  struct Field {
    std::string key, label;
    std::string_view format;
  };
  struct Schema {
    std::string type;
    std::string label;
    uint32_t name = 0;  // string
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
    size_t data, data_size;  // in data_
  };
  // A type of one chunk: its schema, and the fields that its columns are.
  struct Plan {
    uint32_t schema = 0;
    std::vector<profile::ValueForm> forms;
    std::vector<uint32_t> fields;  // those beyond the limit: behind the last of the schema
  };

  const Plan& PlanOf(const profile::JfrEvent& event);
  uint32_t SchemaOf(const profile::RecordedType& type);
  void AppendField(const Field& field, profile::ValueForm form, const profile::EventValue& value);

  profile::TextTable& strings_;
  std::vector<Schema> schemas_;
  std::map<std::string, uint32_t> schema_numbers_;  // by type
  int plan_chunk_ = -1;
  std::map<uint64_t, Plan> plans_;  // by type of the current chunk
  std::map<uint32_t, std::vector<Marker>> by_thread_;
  std::string data_;  // members of JSON objects, each after a comma
  int64_t first_ns_ = INT64_MAX;
};

}  // namespace jprof::firefox
