// The view `events` shows the types of events, or the events of one type with all their fields.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/table_view.h"

namespace jprof {
namespace {

using profile::EventColumn;
using profile::EventValue;
using profile::Profile;
using profile::ProfileEvent;
using profile::RecordedType;
using profile::Sample;

class EventTypesView : public TableView {
 public:
  explicit EventTypesView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }

  bool WantsEvents(const RecordedType& type) override {
    labels_.try_emplace(std::string(type.name), LabelOf(type));
    return true;
  }

  void OnEvent(const ProfileEvent& event) override {
    ++counts_[std::string(event.event.type().name)];
  }

 protected:
  Result<Table> MakeTable(const Profile&, const FormatContext&) override {
    Table table{.title = std::to_string(counts_.size()) +
                         " types of events; view events TYPE has "
                         "their fields"};
    table.if_empty = "There are no events.";
    table.columns = {{"count", "count", ValueForm::kNumber}, {"type", "type"}, {"label", "label"}};
    for (const auto& [type, count] : counts_) {
      table.rows.push_back({NumberCell(ValueForm::kNumber, static_cast<double>(count)),
                            TextCell(type), TextCell(labels_[type])});
    }
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[0].number > b[0].number; });
    return table;
  }

 private:
  std::map<std::string, std::string> labels_;
  std::map<std::string, uint64_t> counts_;
};

// True if `name` is the name of the type, or the part of this name after the last dot.
bool IsNamed(std::string_view type, std::string_view name) {
  return type == name || type.substr(type.rfind('.') + 1) == name;
}

class EventFieldsView : public TableView {
 public:
  explicit EventFieldsView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kUntilForgotten; }

  void OnStacksForgotten(const Profile& profile) override {
    for (; with_top_frames_ < rows_.size(); ++with_top_frames_) {
      std::optional<uint32_t>& top = rows_[with_top_frames_].stack_or_frame;
      const bool has_frame = top && *top != profile::CallTree::kRoot;
      top = has_frame ? std::optional(profile.stacks.frame(*top)) : std::nullopt;
    }
  }

  bool WantsEvents(const RecordedType& type) override {
    if (!IsNamed(type.name, options().type)) return false;
    if (title_.empty()) title_ = std::string(type.name) + ", " + LabelOf(type);
    return true;
  }

  void OnEvent(const ProfileEvent& event) override {
    const std::vector<size_t>& places = PlacesOf(event);
    EventLine row{.time_ns = event.time_ns,
                  .duration_ns = event.duration_ns,
                  .thread = event.thread,
                  .stack_or_frame = event.stack,
                  .cells = std::vector<Cell>(columns_.size())};
    const std::vector<EventValue> values = ValuesOf(event);
    for (size_t i = 0; i < std::min(values.size(), places.size()); ++i) {
      if (places[i] < row.cells.size()) row.cells[places[i]] = values[i];
    }
    has_duration_ |= event.duration_ns != 0;
    has_thread_ |= event.thread.has_value();
    has_stack_ |= event.stack.has_value();
    ++count_;
    // If the table is not sorted, it shows the first rows, and only these are kept.
    const bool is_needed =
        options().limit == 0 || !options().sort.empty() || rows_.size() < options().limit;
    if (is_needed) rows_.push_back(std::move(row));
  }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    if (title_.empty()) {
      return Error("The recording knows no type of events '" + options().type +
                   "': view events lists those that it has.");
    }
    Table table{.title = title_ + ": " + std::to_string(count_)};
    if (!has_all_columns_) {
      table.title += ", with their first " + std::to_string(columns_.size()) + " fields only";
    }
    table.if_empty = "There are no such events in it.";
    table.columns.push_back({"startTime", "time", ValueForm::kTime});
    if (has_duration_) table.columns.push_back({"duration", "duration", ValueForm::kDuration});
    if (has_thread_) table.columns.push_back({"eventThread", "thread"});
    for (const EventColumn& column : columns_) {
      table.columns.push_back({column.name, column.label, column.form});
    }
    if (has_stack_) {
      table.columns.push_back({"stackTrace", "top frame", ValueForm::kText, Cut::kFront});
    }
    OnStacksForgotten(profile);
    for (EventLine& row : rows_) table.rows.push_back(CellsOf(profile, row));
    table.left_out = count_ - rows_.size();
    return table;
  }

 private:
  struct EventLine {
    int64_t time_ns = 0;
    int64_t duration_ns = 0;
    std::optional<uint32_t> thread = std::nullopt;
    // The stack of the event. OnStacksForgotten replaces it by the innermost frame of the stack.
    std::optional<uint32_t> stack_or_frame = std::nullopt;
    std::vector<Cell> cells = {};  // one for each column that was known when the event was read
  };

  // Returns the index in columns_ of each field of the event. The indices of a chunk can differ
  // from those of another chunk, because chunks can declare a type differently. The index of a
  // field beyond the limit of columns is columns_.size().
  const std::vector<size_t>& PlacesOf(const ProfileEvent& event) {
    if (places_chunk_ == event.event.chunk().number && places_type_ == &event.event.type()) {
      return places_;
    }
    places_chunk_ = event.event.chunk().number;
    places_type_ = &event.event.type();
    places_.clear();
    for (const EventColumn& column : ColumnsOf(event.event.chunk().schema, *places_type_)) {
      const auto known = std::ranges::find(columns_, column.name, &EventColumn::name);
      places_.push_back(static_cast<size_t>(known - columns_.begin()));
      if (known != columns_.end()) continue;
      has_all_columns_ = columns_.size() < profile::kMaxTableColumns;
      if (has_all_columns_) columns_.push_back(column);
    }
    return places_;
  }

  std::vector<Cell> CellsOf(const Profile& profile, EventLine& row) const {
    std::vector<Cell> cells = {NumberCell(ValueForm::kTime, static_cast<double>(row.time_ns))};
    if (has_duration_) {
      cells.push_back(NumberCell(ValueForm::kDuration, static_cast<double>(row.duration_ns)));
    }
    if (has_thread_) cells.push_back(TextCell(row.thread ? profile.ThreadText(*row.thread) : ""));
    row.cells.resize(columns_.size());
    for (Cell& cell : row.cells) cells.push_back(std::move(cell));
    if (has_stack_) {
      cells.push_back(TextCell(row.stack_or_frame ? profile.FrameText(*row.stack_or_frame) : ""));
    }
    return cells;
  }

  std::string title_;
  std::vector<EventColumn> columns_;
  bool has_all_columns_ = true;
  std::vector<EventLine> rows_;
  size_t with_top_frames_ = 0;  // how many rows, from the first, have a frame, not a stack
  size_t count_ = 0;
  bool has_duration_ = false;
  bool has_thread_ = false;
  bool has_stack_ = false;
  std::vector<size_t> places_;
  int places_chunk_ = -1;
  const RecordedType* places_type_ = nullptr;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeEventView(const FormatOptions& options) {
  if (options.table.type.empty()) return std::make_unique<EventTypesView>(options);
  return std::make_unique<EventFieldsView>(options);
}

}  // namespace jprof
