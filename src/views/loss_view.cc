// The view `losses` shows what a recording lacks. It has rows for lost samples (by reason and
// thread), for samples whose stacks lack their root, callers or names, and for missing trace
// contexts of samples (docs/context.md). It also shows how many bytes of events are missing from
// the file.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/audit_counts.h"
#include "base/placeholders.h"
#include "jfr/format/jfr_types.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::Weigh;

constexpr std::string_view kLost = "[lost: ";
constexpr std::string_view kCount = JfrName(JfrType::kSampleCount);
// The value of the field "kind" in those kCount events that count missing contexts.
constexpr std::string_view kContext = "context";
constexpr std::string_view kLostOutcome = "lost: ";
constexpr std::string_view kDataLoss = JfrName(JfrType::kDataLoss);
constexpr std::string_view kSetting = JfrName(JfrType::kActiveSetting);
constexpr std::string_view kVersionSetting = "jprof";
constexpr std::string_view kOfKind = "--event ";

// True if the option selects whole kinds of samples (--event), or omits no samples at all
// (--reverse).
bool KeepsWholeKinds(std::string_view part) {
  return part.starts_with(kOfKind) || part == "--reverse";
}

class LossView : public TableView {
 public:
  explicit LossView(const FormatOptions& options) : TableView(options.table) {}

  // Sums the values of samples, not their numbers, because one event can stand for many lost
  // samples.
  void OnSample(const Sample& sample) override {
    totals_[sample.kind] += static_cast<double>(sample.value);
    StackSum& sum = by_stack_[{sample.kind, sample.thread, sample.stack}];
    sum.value += static_cast<double>(sample.value);
    sum.samples += sample.samples;
  }

  profile::StackUse UseOfStacks() const override { return profile::StackUse::kUntilForgotten; }
  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kNone; }

  void OnStacksForgotten(const Profile& profile) override {
    SumLost(profile);
    SumRootless(profile);
    SumGaps(profile);
    by_stack_.clear();
  }

  bool WantsEvents(const profile::RecordedType& type) override {
    return type.name == kCount || type.name == kDataLoss || type.name == kSetting;
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    if (event.event.type().name == kDataLoss) {
      lost_bytes_ += static_cast<double>(event.event.Field("amount").Long());
      return;
    }
    if (event.event.type().name == kSetting) {
      if (event.event.Field("name").String() == kVersionSetting) {
        versions_.insert(event.event.Field("value").String());
      }
      return;
    }
    const auto intervals = static_cast<double>(event.event.Field("intervals").Long());
    if (event.event.Field("kind").String() == kContext) {
      contexts_[event.event.Field("outcome").String()] += intervals;
      return;
    }
    // Counts only the samples that were lost because their thread had no slot: it is not known
    // which threads these samples belong to. A sample that was lost for any other reason is in the
    // recording as a sample with a placeholder.
    if (event.event.Field("outcome").String() != "lost: no thread slot") return;
    without_thread_[event.event.Field("kind").String()] += intervals;
  }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table;
    for (const std::string& part : context.selection) {
      table.title += (table.title.empty() ? "" : " ") + part;
    }
    for (const std::string& version : versions_) {
      table.title += (table.title.empty() ? "" : "; ") + ("recorded by jprof " + version);
    }
    if (profile.audit) {
      table.title += (table.title.empty() ? "" : "; ") + ("audit: " + AuditText(*profile.audit));
    }
    table.columns = {{"event", "event"},
                     {"share", "share", ValueForm::kFraction},
                     {"lost", "lost", ValueForm::kNumber},
                     {"reason", "reason"},
                     {"thread", "thread"}};
    OnStacksForgotten(profile);
    AddSamples(profile, table);
    AddWithoutThread(profile, context.selection, table);
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[1].number > b[1].number; });
    AddWithoutRoot(profile, table);
    AddGaps(profile, table);
    AddContexts(context.selection, table);
    if (lost_bytes_ != 0) {
      table.rows.push_back({TextCell(std::string(kDataLoss)),
                            {},
                            NumberCell(ValueForm::kBytes, lost_bytes_),
                            TextCell("events that could not be written to the file"),
                            {}});
    }
    table.if_empty = totals_.empty() ? "There are no samples, and none was lost."
                                     : "Nothing was lost" + Recorded(profile) + ".";
    return table;
  }

 private:
  struct StackSum {
    double value = 0;  // in the unit of the kind
    uint64_t samples = 0;

    void operator+=(const StackSum& other) {
      value += other.value;
      samples += other.samples;
    }
  };

  static void Add(Table& table, const std::string& kind, Cell lost, double amount, double total,
                  std::string reason, std::string thread) {
    const Cell share = ShareCell(amount, total);
    table.rows.push_back({TextCell(kind), share, std::move(lost), TextCell(std::move(reason)),
                          TextCell(std::move(thread))});
  }

  void SumLost(const Profile& profile) {
    for (const auto& [key, sum] : by_stack_) {
      const auto& [kind, thread, stack] = key;
      const std::string reason = ReasonOf(profile, stack);
      if (!reason.empty()) lost_[{kind, reason, thread}] += sum.value;
    }
  }

  void AddSamples(const Profile& profile, Table& table) const {
    for (const auto& [key, lost] : lost_) {
      const auto& [kind, reason, thread] = key;
      const profile::SampleKind& row = profile.kinds[kind];
      Add(table, row.name, NumberCell(FormOf(row, Weigh::kValue), lost), lost, totals_.at(kind),
          reason, profile.ThreadName(thread));
    }
  }

  void SumRootless(const Profile& profile) {
    for (const auto& [key, sum] : by_stack_) {
      const auto& [kind, thread, stack] = key;
      if (LacksRoot(profile, stack)) rootless_[{kind, thread}] += sum;
    }
  }

  // Adds rows for samples whose stacks lack their roots. The samples themselves are not lost, so
  // the column `lost` is empty.
  void AddWithoutRoot(const Profile& profile, Table& table) const {
    for (const auto& [key, sum] : rootless_) {
      const auto& [kind, thread] = key;
      Add(table, profile.kinds[kind].name, {}, sum.value, totals_.at(kind),
          std::to_string(sum.samples) + " samples without the root of their stack",
          profile.ThreadName(thread));
    }
  }

  // Sums the samples by the gaps in their stacks. A gap is a placeholder for missing frames.
  void SumGaps(const Profile& profile) {
    std::vector<bool> is_gap;  // indexed by method
    for (const profile::ProfileMethod& method : profile.methods()) {
      is_gap.push_back(IsGap(profile.texts[method.name]));
    }
    for (const auto& [key, sum] : by_stack_) {
      const auto& [kind, thread, stack] = key;
      std::set<uint32_t> gaps;  // a set, because a stack can have the same gap several times
      for (uint32_t node = stack; node != profile::CallTree::kRoot;
           node = profile.stacks.parent(node)) {
        const uint32_t method = profile.frames()[profile.stacks.frame(node)].method;
        if (is_gap[method]) gaps.insert(method);
      }
      for (const uint32_t gap : gaps) gaps_[{kind, gap}] += sum;
    }
  }

  // Adds a row for each placeholder of missing frames. The row sums the samples whose stacks
  // contain the placeholder, over all threads. The samples themselves are not lost, so the column
  // `lost` is empty.
  void AddGaps(const Profile& profile, Table& table) const {
    for (const auto& [key, sum] : gaps_) {
      const auto& [kind, method] = key;
      Add(table, profile.kinds[kind].name, {}, sum.value, totals_.at(kind),
          std::to_string(sum.samples) + " samples with " +
              profile.texts[profile.methods()[method].name] + " in their stack",
          {});
    }
  }

  // Adds rows for losses whose thread is unknown. If the slice selects only a part of the samples
  // of a kind, adds no rows, because it is unknown how many of the losses belong to this part.
  void AddWithoutThread(const Profile& profile, const std::vector<std::string>& selection,
                        Table& table) const {
    if (without_thread_.empty()) return;
    if (!std::ranges::all_of(selection, KeepsWholeKinds)) {
      table.title += "; what was lost without a thread slot is left out";
      return;
    }
    for (const auto& [name, lost] : without_thread_) {
      const bool is_chosen = std::ranges::none_of(selection, [&of = name](const std::string& part) {
        return part.starts_with(kOfKind) && part.substr(kOfKind.size()) != of;
      });
      if (!is_chosen) continue;
      const std::optional<uint32_t> kind = KindOf(profile, name);
      const double total = lost + (kind && totals_.contains(*kind) ? totals_.at(*kind) : 0);
      const ValueForm form =
          kind ? FormOf(profile.kinds[*kind], Weigh::kValue) : ValueForm::kNumber;
      Add(table, name, NumberCell(form, lost), lost, total, "no thread slot", "[unknown thread]");
    }
  }

  // Adds rows for missing trace contexts of samples, by reason. A row counts all kinds and threads.
  void AddContexts(const std::vector<std::string>& selection, Table& table) const {
    if (contexts_.empty()) return;
    if (std::ranges::any_of(selection, [](const auto& part) { return part != "--reverse"; })) {
      table.title += "; missing contexts are left out";
      return;
    }
    for (const auto& [outcome, count] : contexts_) {
      const std::string reason =
          outcome.starts_with(kLostOutcome) ? outcome.substr(kLostOutcome.size()) : outcome;
      table.rows.push_back({TextCell(std::string(kContext)),
                            {},
                            NumberCell(ValueForm::kNumber, count),
                            TextCell("missing contexts: " + reason),
                            {}});
    }
  }

  // Returns the reason of a loss, such as "stack storage full". Returns an empty text if the sample
  // was not lost.
  static std::string ReasonOf(const Profile& profile, uint32_t stack) {
    if (stack == profile::CallTree::kRoot) return {};
    const std::string& name = NameOf(profile, stack);
    if (!name.starts_with(kLost) || !name.ends_with(']')) return {};
    return name.substr(kLost.size(), name.size() - kLost.size() - 1);
  }

  // True if the outermost frame of the stack is the placeholder for a root that was not walked.
  static bool LacksRoot(const Profile& profile, uint32_t stack) {
    uint32_t outermost = profile::CallTree::kRoot;
    for (uint32_t node = stack; node != profile::CallTree::kRoot;
         node = profile.stacks.parent(node)) {
      outermost = node;
    }
    return outermost != profile::CallTree::kRoot &&
           NameOf(profile, outermost) == Text(Placeholder::kRootNotWalked);
  }

  static const std::string& NameOf(const Profile& profile, uint32_t node) {
    const profile::ProfileFrame& frame = profile.frames()[profile.stacks.frame(node)];
    return profile.texts[profile.methods()[frame.method].name];
  }

  static std::optional<uint32_t> KindOf(const Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.kinds, name, &profile::SampleKind::name);
    if (found == profile.kinds.end()) return std::nullopt;
    return static_cast<uint32_t>(found - profile.kinds.begin());
  }

  // Returns the numbers of recorded samples: " of 309 cpu samples".
  std::string Recorded(const Profile& profile) const {
    std::string text;
    for (const uint32_t kind : profile.KindsInOrder()) {
      const profile::SampleKind& row = profile.kinds[kind];
      if (!totals_.contains(kind)) continue;
      text += (text.empty() ? " of " : ", ") + std::to_string(row.samples) + " " + row.name;
    }
    return text.empty() ? text : text + " samples";
  }

  // The value of all samples, by kind, in the unit of the kind.
  std::map<uint32_t, double> totals_;
  // Samples that are not yet in lost_, rootless_ and gaps_, by kind, thread and stack.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, StackSum> by_stack_;
  std::map<std::tuple<uint32_t, std::string, uint32_t>, double> lost_;  // kind, reason, thread
  std::map<std::pair<uint32_t, uint32_t>, StackSum> rootless_;          // keyed by kind and thread
  std::map<std::pair<uint32_t, uint32_t>, StackSum> gaps_;              // keyed by kind and method
  std::map<std::string, double> without_thread_;                        // by the name of the kind
  std::map<std::string, double> contexts_;  // missing contexts by outcome
  std::set<std::string> versions_;          // versions of jprof that made the recordings
  double lost_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeLossView(const FormatOptions& options) {
  return std::make_unique<LossView>(options);
}

}  // namespace jprof
