#include "formats/page/event_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/credible_time.h"
#include "formats/page/table_columns.h"

namespace jprof {
namespace {

using profile::EventColumn;
using profile::EventValue;
using profile::JfrEvent;
using profile::Profile;
using profile::ProfileEvent;
using profile::RecordedType;
using profile::SampleKind;
using profile::SampleTable;
using profile::ValueForm;

using Row = std::pair<const Blockers::Pair, PairSum>;

// Returns the pairs with the longest waits, the longest first.
std::vector<const Row*> InOrder(const Blockers& blockers) {
  std::vector<const Row*> order;
  for (const Row& pair : blockers.pairs()) order.push_back(&pair);
  std::ranges::stable_sort(
      order, [](const Row* a, const Row* b) { return a->second.time_ns > b->second.time_ns; });
  order.resize(std::min(order.size(), EventTables::kMaxRows));
  return order;
}

struct Estimate {
  double bytes = 0, variance = 0;

  void Add(const SampleTable::WeightSum& sum) {
    bytes += static_cast<double>(sum.weight);
    variance += sum.variance;
  }
};

struct Site {
  Estimate allocated, live;
};

// The sites, keyed by class and method. The class and the method are indices into
// Profile::methods(), plus 1; 0 if unknown.
using Sites = std::map<std::pair<uint32_t, uint32_t>, Site>;

std::optional<uint32_t> KindOf(const PageModel& page, std::string_view name) {
  for (uint32_t number = 0; number < page.profile.kinds.size(); ++number) {
    const SampleKind& kind = page.profile.kinds[number];
    const bool has_bytes = kind.unit == profile::SampleUnit::kBytes && kind.value != 0;
    if (kind.name == name && has_bytes) return number;
  }
  return std::nullopt;
}

Sites SitesOf(const PageModel& page, uint32_t alloc, uint32_t live) {
  const Profile& profile = page.profile;
  Sites sites;
  page.table.ForEach([&](uint32_t group, uint32_t stack, const SampleTable::WeightSum& sum) {
    const uint32_t kind = page.table.groups()[group].kind;
    if (kind != alloc && kind != live) return;
    const auto type = profile.ClassOf(stack), method = profile.AllocationSiteOf(stack);
    Site& site = sites[{type ? *type + 1 : 0, method ? *method + 1 : 0}];
    (kind == alloc ? site.allocated : site.live).Add(sum);
  });
  return sites;
}

// EstimateColumns is a column of estimates and, if their errors are known, a column of the errors.
class EstimateColumns {
 public:
  EstimateColumns(const SampleKind& kind, bool has_errors) : kind_(kind), has_errors_(has_errors) {}

  void Add(const Estimate& estimate) {
    bytes_.Add(estimate.bytes);
    errors_.Add(std::sqrt(kind_.VarianceOf(estimate.bytes, estimate.variance)));
  }
  void Write(const std::string& name, const std::string& label, JsonWriter& json) const {
    bytes_.Write(name, label, json);
    if (has_errors_) errors_.Write(name + "Error", "± " + label, json);
  }

 private:
  const SampleKind& kind_;
  const bool has_errors_;
  NumberColumn bytes_{PageUnit::kBytes}, errors_{PageUnit::kBytes};
};

// Returns the sites with the most live bytes, in descending order.
std::vector<const Sites::value_type*> InOrder(const Sites& sites) {
  std::vector<const Sites::value_type*> order;
  for (const auto& site : sites) order.push_back(&site);
  std::ranges::stable_sort(order, [](const auto* a, const auto* b) {
    return std::pair(a->second.live.bytes, a->second.allocated.bytes) >
           std::pair(b->second.live.bytes, b->second.allocated.bytes);
  });
  order.resize(std::min(order.size(), EventTables::kMaxRows));
  return order;
}

// Writes the table of the allocated bytes and the live bytes of each class and allocation site, as
// an element of the array `events`. Writes nothing unless the page has the kinds alloc and live,
// with weights in bytes.
void WriteHeapTable(const PageModel& page, JsonWriter& json) {
  const auto alloc = KindOf(page, "alloc"), live = KindOf(page, "live");
  if (!alloc || !live || page.table.weigh() != profile::Weigh::kValue) return;
  const Profile& profile = page.profile;
  const Sites sites = SitesOf(page, *alloc, *live);
  const auto columns_of = [&](uint32_t kind) {
    return EstimateColumns(profile.kinds[kind], page.table.HasErrors(profile.kinds[kind]));
  };
  EstimateColumns lives = columns_of(*live);
  EstimateColumns allocated = columns_of(*alloc);
  NumberColumn shares(PageUnit::kFraction);
  TextColumn types, methods;
  const auto add = [&profile](TextColumn& column, uint32_t method) {
    method == 0 ? column.AddNone() : column.Add(profile.MethodText(method - 1));
  };
  for (const auto* each : InOrder(sites)) {
    const auto& [key, site] = *each;
    lives.Add(site.live);
    allocated.Add(site.allocated);
    // An object that was allocated before the recording counts as live but not as allocated. So a
    // site can have more live than allocated bytes. Such a site shows no share.
    const bool is_part = site.live.bytes <= site.allocated.bytes && site.allocated.bytes > 0;
    is_part ? shares.Add(site.live.bytes / site.allocated.bytes) : shares.AddNone();
    add(types, key.first);
    add(methods, key.second);
  }
  WriteTableObject("allocated and live", "Allocated, and what stays", sites.size(), json, [&] {
    allocated.Write("allocated", "Allocated", json);
    lives.Write("live", "Live", json);
    shares.Write("stays", "Stays", json);
    types.Write("class", "Class", json);
    methods.Write("site", "Allocated in", json);
  });
}

}  // namespace

// Shortens the names in the wait, because they can have any length and every pair of threads has
// copies of them.
void BlockerTable::OnEvent(const profile::ProfileEvent& event) {
  RecordedWait wait = WaitOf(event);
  wait.owner = EventTables::Shortened(std::move(wait.owner));
  wait.lock_class = EventTables::Shortened(std::move(wait.lock_class));
  wait.held_in = EventTables::Shortened(std::move(wait.held_in));
  blockers_.Add(wait);
}

void BlockerTable::Write(const profile::Profile& profile, JsonWriter& json) {
  if (blockers_.pairs().empty()) return;
  NumberColumn times(PageUnit::kNanos), errors(PageUnit::kNanos), longest(PageUnit::kNanos);
  NumberColumn recorded(PageUnit::kNumber), unfinished(PageUnit::kNumber);
  TextColumn owners, waiting, locks, places;
  for (const Row* row : InOrder(blockers_)) {
    const auto& [pair, sum] = *row;
    times.Add(sum.time_ns);
    errors.Add(std::sqrt(std::max(sum.variance, 0.0)));
    recorded.Add(static_cast<double>(sum.recorded));
    longest.Add(sum.longest_ns);
    unfinished.Add(static_cast<double>(sum.unfinished));
    owners.Add(pair.blocker);
    waiting.Add(EventTables::Shortened(profile.ThreadText(pair.blocked)));
    pair.lock_class.empty() ? locks.AddNone() : locks.Add(pair.lock_class);
    const std::string place = sum.held_in.Longest();
    place.empty() ? places.AddNone() : places.Add(place);
  }
  WriteTableObject("blockers", "Who waited for whom", blockers_.pairs().size(), json, [&] {
    times.Write("total", "Total Wait", json);
    errors.Write("totalError", "± Total Wait", json);
    recorded.Write("recorded", "Recorded", json);
    longest.Write("longest", "Longest", json);
    unfinished.Write("unfinished", "Not Ended", json);
    owners.Write("blocker", "Blocker", json);
    waiting.Write("blocked", "Blocked", json);
    locks.Write("lockClass", "Lock", json);
    places.Write("heldIn", "Mostly Held By, And In", json);
  });
}

std::string BlockerTable::NoteOf(const profile::Profile& profile) const {
  std::string note = blockers_.DeadlockText(profile);
  if (blockers_.left_out() != 0) {
    note += (note.empty() ? "" : "; ") + std::to_string(blockers_.left_out()) +
            " waits of more than " + std::to_string(kMostPairs) + " pairs of threads are left out";
  }
  return note;
}

bool EventTables::WantsEvents(const RecordedType& type) {
  chunk_types_.erase(&type);  // a type of an earlier chunk might have had the same address
  full_type_ = nullptr;
  return true;
}

bool EventTables::TakesEvent(const RecordedType& type) {
  if (&type != full_type_) {
    const auto known = chunk_types_.find(&type);
    if (known == chunk_types_.end()) return true;
    Table& table = tables_[known->second.table];
    const bool is_summed = known->second.is_of_wait || known->second.is_of_validation;
    if (!IsFull(table) || is_summed) return true;
    full_type_ = &type;
    full_table_ = &table;
  }
  ++full_table_->count;
  return false;
}

const EventTables::ChunkType* EventTables::ChunkTypeOf(const JfrEvent& event) {
  const RecordedType& type = event.type();
  const auto known = chunk_types_.find(&type);
  if (known != chunk_types_.end()) return &known->second;
  const auto table = numbers_.find(type.name);
  if (table == numbers_.end() && tables_.size() == kMaxTypes) return nullptr;
  ChunkType chunk_type;
  if (table != numbers_.end()) {
    chunk_type.table = table->second;
  } else {
    chunk_type.table = tables_.size();
    tables_.push_back({.name = std::string(type.name), .label = LabelOf(type)});
    numbers_.emplace(type.name, chunk_type.table);
  }
  chunk_type.is_of_wait = IsOfWait(type);
  chunk_type.is_of_validation = ValidationTables::IsOfValidation(type);
  std::vector<Column>& columns = tables_[chunk_type.table].columns;
  for (EventColumn& column : ColumnsOf(event.chunk().schema, type)) {
    const auto same = std::find_if(columns.begin(), columns.end(), [&column](const Column& other) {
      return other.column.name == column.name && other.column.form == column.form;
    });
    chunk_type.columns.push_back(static_cast<size_t>(same - columns.begin()));
    if (same == columns.end() && columns.size() < profile::kMaxTableColumns) {
      columns.push_back({.column = std::move(column)});
    }
  }
  return &chunk_types_.emplace(&type, std::move(chunk_type)).first->second;
}

std::string EventTables::Shortened(std::string text) {
  if (text.size() <= kMaxText) return text;
  size_t end = kMaxText;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text += "…";
  return text;
}

EventTables::EventCell EventTables::CellOf(const EventColumn& column, EventValue value) {
  EventCell cell{.number = value.number};
  const bool is_number = IsNumberForm(column.form);
  // A number that is too large for the page is kept as its text.
  if (value.text.empty() || (is_number && std::fabs(value.number) < kMaxPageNumber)) {
    if (is_number && value.text.empty()) cell.number = std::nan("");
    return cell;
  }
  value.text = Shortened(std::move(value.text));
  if (text_bytes_ > kMaxTextBytes) value.text = "…";
  const size_t before = texts_.size();
  cell.text = texts_.NumberOf(value.text) + 1;
  if (texts_.size() > before) text_bytes_ += value.text.size();
  return cell;
}

void EventTables::OnEvent(const ProfileEvent& event) {
  const ChunkType* const type = ChunkTypeOf(event.event);
  if (type == nullptr) {
    ++of_other_types_;
    return;
  }
  if (type->is_of_wait) blockers_.OnEvent(event);
  if (type->is_of_validation) validation_.OnEvent(event);
  Table& table = tables_[type->table];
  ++table.count;
  if (IsFull(table)) return;
  std::vector<EventValue> values = ValuesOf(event);
  for (size_t i = 0; i < std::min(values.size(), type->columns.size()); ++i) {
    if (type->columns[i] >= table.columns.size()) continue;
    Column& column = table.columns[type->columns[i]];
    EventCell cell = CellOf(column.column, std::move(values[i]));
    column.cells.resize(table.rows.size(), EventCell{.number = std::nan("")});
    column.cells.push_back(cell);
  }
  cells_ += 4 + values.size();
  table.rows.push_back({event.time_ns, event.duration_ns, event.thread ? *event.thread + 1 : 0,
                        event.stack ? *event.stack + 1 : 0});
}

void EventTables::WriteColumn(const Column& column, size_t rows, JsonWriter& json) const {
  const auto& [names, cells] = column;
  const bool has_texts =
      !IsNumberForm(names.form) ||
      std::any_of(cells.begin(), cells.end(), [](const EventCell& cell) { return cell.text != 0; });
  if (!has_texts) {
    NumberColumn numbers(UnitOf(names.form));
    for (const EventCell& cell : cells) numbers.Add(cell.number);
    for (size_t i = cells.size(); i < rows; ++i) numbers.AddNone();
    numbers.Write(names.name, names.label, json);
    return;
  }
  TextColumn texts;
  for (const EventCell& cell : cells) {
    if (cell.text != 0) {
      texts.Add(texts_[cell.text - 1]);
    } else if (IsNumberForm(names.form) && !std::isnan(cell.number)) {
      texts.Add(TextOf(names.form, cell.number));
    } else {
      texts.AddNone();
    }
  }
  for (size_t i = cells.size(); i < rows; ++i) texts.AddNone();
  texts.Write(names.name, names.label, json);
}

void EventTables::WriteTable(const Table& table, const PageModel& page, JsonWriter& json) const {
  const Profile& profile = page.profile;
  NumberColumn times(PageUnit::kTime), durations(PageUnit::kNanos);
  TextColumn threads, methods;
  const auto has = [&table](uint32_t EventLine::*member) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [member](const EventLine& row) { return row.*member != 0; });
  };
  for (const EventLine& row : table.rows) {
    times.Add(static_cast<double>(CredibleTime(row.time_ns) - CredibleTime(profile.start_ns)));
    durations.Add(static_cast<double>(row.duration_ns));
    const bool has_frame = row.stack > 1;  // 1 is the root, which has no frame
    row.thread == 0 ? threads.AddNone() : threads.Add(profile.ThreadText(row.thread - 1));
    has_frame ? methods.Add(profile.FrameText(profile.stacks.frame(row.stack - 1)))
              : methods.AddNone();
  }
  WriteTableObject(table.name, table.label, table.count, json, [&] {
    times.Write("startTime", "Time", json);
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [](const EventLine& row) { return row.duration_ns != 0; })) {
      durations.Write("duration", "Duration", json);
    }
    if (has(&EventLine::thread)) threads.Write("eventThread", "Thread", json);
    for (const Column& column : table.columns) WriteColumn(column, table.rows.size(), json);
    if (has(&EventLine::stack)) methods.Write("stackTrace", "Top Method", json);
  });
}

Status EventTables::Write(const PageModel& page, JsonWriter& json) {
  std::vector<const Table*> order;
  for (const Table& table : tables_) order.push_back(&table);
  std::sort(order.begin(), order.end(), [](const Table* a, const Table* b) {
    return std::tie(a->label, a->name) < std::tie(b->label, b->name);
  });
  // The user of a validation wants to see its tables, not the graph.
  if (validation_.has_rows()) json.Text("eventsFirst", ValidationTables::kName);
  json.BeginArray("events");
  validation_.Write(json);
  WriteHeapTable(page, json);
  blockers_.Write(page.profile, json);
  for (const Table* table : order) WriteTable(*table, page, json);
  json.EndArray();
  std::string note = blockers_.NoteOf(page.profile);
  if (of_other_types_ != 0) {
    note += (note.empty() ? "" : "; ") + std::to_string(of_other_types_) + " events of more than " +
            std::to_string(kMaxTypes) + " types are left out";
  }
  json.Text("eventsNote", note);
  return {};
}

}  // namespace jprof
