// The view losses: samples that were due and have no stack, by reason and thread, and what the file
// is missing.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::Weigh;

constexpr std::string_view kLost = "[lost: ";
constexpr std::string_view kCount = "profiler.SampleCount";
constexpr std::string_view kDataLoss = "jdk.DataLoss";
constexpr std::string_view kOfKind = "--event ";

// Of what is chosen of a recording: that it leaves kinds as they are.
bool KeepsKinds(std::string_view part) { return part.starts_with(kOfKind) || part == "--reverse"; }

class LossView : public TableView {
 public:
  explicit LossView(const FormatOptions& options) : TableView(options.table) {}

  // What is lost is known by its weight: an event may stand for many samples that were.
  void OnSample(const Sample& sample) override {
    totals_[sample.kind] += static_cast<double>(sample.value);
    by_stack_[{sample.kind, sample.thread, sample.stack}] += static_cast<double>(sample.value);
  }

  bool WantsEvents(const profile::JfrType& type) override {
    return type.name == kCount || type.name == kDataLoss;
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    if (event.event.type().name == kDataLoss) {
      lost_bytes_ += static_cast<double>(event.event.Field("amount").Long());
      return;
    }
    // The only losses that no thread is charged with, and that are in no sample.
    if (event.event.Field("outcome").String() != "lost: no thread record") return;
    without_thread_[event.event.Field("kind").String()] +=
        static_cast<double>(event.event.Field("intervals").Long());
  }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table;
    for (const std::string& part : context.selection) {
      table.title += (table.title.empty() ? "" : " ") + part;
    }
    table.columns = {{"event", "event"},
                     {"share", "share", ValueForm::kFraction},
                     {"lost", "lost", ValueForm::kNumber},
                     {"reason", "reason"},
                     {"thread", "thread"}};
    AddSamples(profile, table);
    AddWithoutThread(profile, context.selection, table);
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[1].number > b[1].number; });
    if (lost_bytes_ != 0) {
      table.rows.push_back({TextCell(std::string(kDataLoss)),
                            {},
                            NumberCell(ValueForm::kBytes, lost_bytes_),
                            TextCell("events that could not be written to the file"),
                            {}});
    }
    table.if_empty = "Nothing was lost" + Recorded(profile) + ".";
    return table;
  }

 private:
  static void Add(Table& table, const std::string& kind, Cell lost, double total,
                  std::string reason, std::string thread) {
    const Cell share = ShareCell(lost.number, total);
    table.rows.push_back({TextCell(kind), share, std::move(lost), TextCell(std::move(reason)),
                          TextCell(std::move(thread))});
  }

  void AddSamples(const Profile& profile, Table& table) const {
    std::map<std::tuple<uint32_t, std::string, uint32_t>, double> sums;
    for (const auto& [key, lost] : by_stack_) {
      const auto& [kind, thread, stack] = key;
      const std::string reason = ReasonOf(profile, stack);
      if (!reason.empty()) sums[{kind, reason, thread}] += lost;
    }
    for (const auto& [key, lost] : sums) {
      const auto& [kind, reason, thread] = key;
      const profile::SampleKind& row = profile.kinds[kind];
      Add(table, row.name, NumberCell(FormOf(row, Weigh::kValue), lost), totals_.at(kind), reason,
          profile.ThreadName(thread));
    }
  }

  // All that is known of these is their kind: a part of it has none that are known.
  void AddWithoutThread(const Profile& profile, const std::vector<std::string>& selection,
                        Table& table) const {
    if (without_thread_.empty()) return;
    if (!std::ranges::all_of(selection, KeepsKinds)) {
      table.title += "; what was lost without a thread record is left out";
      return;
    }
    for (const auto& [name, lost] : without_thread_) {
      const bool is_chosen = std::ranges::none_of(selection, [&](const std::string& part) {
        return part.starts_with(kOfKind) && part.substr(kOfKind.size()) != name;
      });
      if (!is_chosen) continue;
      const std::optional<uint32_t> kind = KindOf(profile, name);
      const double total = lost + (kind && totals_.contains(*kind) ? totals_.at(*kind) : 0);
      const ValueForm form =
          kind ? FormOf(profile.kinds[*kind], Weigh::kValue) : ValueForm::kNumber;
      Add(table, name, NumberCell(form, lost), total, "no thread record", "[unknown thread]");
    }
  }

  // "stack storage full"; empty: the sample was not lost.
  static std::string ReasonOf(const Profile& profile, uint32_t stack) {
    if (stack == profile::CallTree::kRoot) return {};
    const profile::ProfileFrame& frame = profile.frames()[profile.stacks.frame(stack)];
    const std::string& name = profile.texts[profile.methods()[frame.method].name];
    if (!name.starts_with(kLost) || !name.ends_with(']')) return {};
    return name.substr(kLost.size(), name.size() - kLost.size() - 1);
  }

  static std::optional<uint32_t> KindOf(const Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.kinds, name, &profile::SampleKind::name);
    if (found == profile.kinds.end()) return std::nullopt;
    return static_cast<uint32_t>(found - profile.kinds.begin());
  }

  // " of 309 cpu samples"
  std::string Recorded(const Profile& profile) const {
    std::string text;
    for (const uint32_t kind : profile.KindsInOrder()) {
      const profile::SampleKind& row = profile.kinds[kind];
      if (!totals_.contains(kind)) continue;
      text += (text.empty() ? " of " : ", ") + std::to_string(row.samples) + " " + row.name;
    }
    return text.empty() ? text : text + " samples";
  }

  // In the unit of the kind.
  std::map<uint32_t, double> totals_;  // by kind
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, double> by_stack_;
  std::map<std::string, double> without_thread_;  // by the name of the kind
  double lost_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeLossView(const FormatOptions& options) {
  return std::make_unique<LossView>(options);
}

}  // namespace jprof
