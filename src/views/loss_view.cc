// The view losses: samples that were due and have no stack, by reason and thread, and what the file
// is missing.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;

constexpr std::string_view kLost = "[lost: ";
constexpr std::string_view kCount = "profiler.SampleCount";
constexpr std::string_view kDataLoss = "jdk.DataLoss";

class LossView : public TableView {
 public:
  explicit LossView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const Sample& sample) override {
    totals_[sample.kind] += sample.samples;
    by_stack_[{sample.kind, sample.thread, sample.stack}] += sample.samples;
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
                     {"samples", "samples", ValueForm::kNumber},
                     {"bytes", "bytes", ValueForm::kBytes},
                     {"reason", "reason"},
                     {"thread", "thread"}};
    AddSamples(profile, table);
    for (const auto& [kind, samples] : without_thread_) {
      const double total = samples + TotalOf(profile, kind);
      Add(table, kind, samples, total, "no thread record", "[unknown thread]");
    }
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[1].number > b[1].number; });
    if (lost_bytes_ != 0) {
      table.rows.push_back({TextCell(std::string(kDataLoss)),
                            {},
                            {},
                            NumberCell(ValueForm::kBytes, lost_bytes_),
                            TextCell("events that could not be written to the file"),
                            {}});
    }
    table.if_empty = "Nothing was lost" + Recorded(profile) + ".";
    return table;
  }

 private:
  static void Add(Table& table, const std::string& kind, double samples, double total,
                  std::string reason, std::string thread) {
    table.rows.push_back({TextCell(kind),
                          ShareCell(samples, total),
                          NumberCell(ValueForm::kNumber, samples),
                          {},
                          TextCell(std::move(reason)),
                          TextCell(std::move(thread))});
  }

  void AddSamples(const Profile& profile, Table& table) const {
    std::map<std::tuple<uint32_t, std::string, uint32_t>, uint64_t> sums;
    for (const auto& [key, samples] : by_stack_) {
      const auto& [kind, thread, stack] = key;
      const std::string reason = ReasonOf(profile, stack);
      if (!reason.empty()) sums[{kind, reason, thread}] += samples;
    }
    for (const auto& [key, samples] : sums) {
      const auto& [kind, reason, thread] = key;
      Add(table, profile.kinds[kind].name, static_cast<double>(samples),
          static_cast<double>(totals_.at(kind)), reason, profile.ThreadName(thread));
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

  double TotalOf(const Profile& profile, const std::string& kind) const {
    for (const auto& [number, total] : totals_) {
      if (profile.kinds[number].name == kind) return static_cast<double>(total);
    }
    return 0;
  }

  // " of 309 cpu samples"
  std::string Recorded(const Profile& profile) const {
    std::string text;
    for (const uint32_t kind : profile.KindsInOrder()) {
      const auto total = totals_.find(kind);
      if (total == totals_.end()) continue;
      text += (text.empty() ? " of " : ", ") + std::to_string(total->second) + " " +
              profile.kinds[kind].name;
    }
    return text.empty() ? text : text + " samples";
  }

  std::map<uint32_t, uint64_t> totals_;  // by kind
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> by_stack_;
  std::map<std::string, double> without_thread_;  // by the name of the kind
  double lost_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeLossView(const FormatOptions& options) {
  return std::make_unique<LossView>(options);
}

}  // namespace jprof
