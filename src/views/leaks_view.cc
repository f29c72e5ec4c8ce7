// The view `leaks` shows classes and allocation sites by the growth of their live objects.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/key_map.h"
#include "profile/analysis/live_history.h"
#include "profile/class_text.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::ClassText;
using profile::LiveGrowth;
using profile::LiveHistory;
using profile::Profile;
using profile::ProfileEvent;
using profile::RecordedType;

// The limits of the numbers of classes and sites. All classes beyond the limit count as one class,
// and all sites beyond the limit count as one site.
constexpr size_t kMaxClasses = 20'000, kMaxSites = 20'000;
constexpr char kOtherClasses[] = "[other classes]", kOtherSites[] = "[other sites]";

// A row of the view: a class, or one allocation site of a class.
struct Group {
  std::string type, site;  // `site` is empty in the row of a class
  LiveGrowth growth = {};
};

bool IsBefore(const LiveGrowth& a, const LiveGrowth& b) {
  if (a.IsGrowing() != b.IsGrowing()) return a.IsGrowing();
  return a.per_minute > b.per_minute;
}

class LeaksView : public TableView {
 public:
  explicit LeaksView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const profile::Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kToTheEnd; }
  bool WantsEvents(const RecordedType& type) override {
    return LiveHistory::IsOfObjects(type) || LiveHistory::IsOfSnapshots(type);
  }
  void OnEvent(const ProfileEvent& event) override {
    if (LiveHistory::IsOfSnapshots(event.event.type())) return history_.OnSnapshot(event);
    history_.OnObject(event, SiteOf(event));
  }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table;
    const std::vector<int64_t> times = history_.JudgedTimes();
    table.if_empty = WhyEmpty(times.size());
    table.columns = Columns();
    std::vector<Group> groups;
    if (times.size() >= LiveHistory::kFewestJudged) groups = Groups(profile);
    table.title = TitleOf(context, groups, times);
    for (const Group& group : groups) table.rows.push_back(RowOf(group));
    return table;
  }

 private:
  struct Site {
    uint32_t type;   // number in types_
    uint32_t stack;  // node of Profile::stacks
  };

  uint32_t SiteOf(const ProfileEvent& event) {
    const std::string name = event.event.Field("objectClass").Field("name").String();
    std::string text = name.empty() ? "[unknown class]" : ClassText(name);
    if (types_.size() >= kMaxClasses && !types_.Find(text)) text = kOtherClasses;
    const uint32_t type = types_.NumberOf(text);
    const uint32_t stack = event.stack.value_or(profile::CallTree::kRoot);
    uint32_t& number = site_numbers_.At(uint64_t{type} << 32 | stack);
    if (number == 0) {
      sites_.push_back({type, stack});
      number = static_cast<uint32_t>(sites_.size());
    }
    return number - 1;
  }

  static std::string SiteText(const Profile& profile, uint32_t stack) {
    const std::optional<uint32_t> method = profile.AllocationSiteOf(stack);
    return method ? profile.MethodText(*method) : "[unknown site]";
  }

  // Returns the rows. The row of a class is followed by the rows of its sites. Growing classes come
  // before the other classes. Likewise, the growing sites of a class come before its other sites.
  std::vector<Group> Groups(const Profile& profile) const {
    std::map<std::pair<uint32_t, std::string>, uint32_t> numbers;
    std::vector<uint32_t> type_of_site, group_of_site;
    for (const Site& site : sites_) {
      std::pair key(site.type, SiteText(profile, site.stack));
      if (numbers.size() >= kMaxSites && !numbers.contains(key)) key.second = kOtherSites;
      const auto group = numbers.try_emplace(std::move(key), numbers.size()).first;
      type_of_site.push_back(site.type);
      group_of_site.push_back(group->second);
    }
    const std::vector<LiveGrowth> of_types = history_.ComputeGrowth(type_of_site, types_.size());
    const std::vector<LiveGrowth> of_sites = history_.ComputeGrowth(group_of_site, numbers.size());
    std::vector<std::vector<Group>> types(types_.size());
    for (const auto& [key, number] : numbers) {
      types[key.first].push_back({types_[key.first], key.second, of_sites[number]});
    }
    std::vector<Group> groups;
    for (uint32_t type = 0; type < types_.size(); ++type) {
      groups.push_back({types_[type], "", of_types[type]});
    }
    std::ranges::stable_sort(groups, IsBefore, &Group::growth);
    std::vector<Group> all;
    for (Group& group : groups) {
      if (!group.growth.HasObjects()) continue;
      std::vector<Group>& sites = types[*types_.Find(group.type)];
      std::erase_if(sites, [](const Group& site) { return !site.growth.HasObjects(); });
      std::ranges::stable_sort(sites, IsBefore, &Group::growth);
      all.push_back(std::move(group));
      all.insert(all.end(), sites.begin(), sites.end());
    }
    return all;
  }

  static std::vector<Column> Columns() {
    return {{"growing", "", ValueForm::kBoolean},
            {"growthPerMinute", "growth/min", ValueForm::kBytes},
            {"growthError", "", ValueForm::kBytes},
            {"live", "live", ValueForm::kBytes},
            {"liveError", "", ValueForm::kBytes},
            {"age1", "age 1", ValueForm::kFraction},
            {"age2", "2-3", ValueForm::kFraction},
            {"age4", "4-7", ValueForm::kFraction},
            {"age8", "8+", ValueForm::kFraction},
            {"class", "class", ValueForm::kText, Cut::kFront},
            {"site", "allocated in", ValueForm::kText, Cut::kFront}};
  }

  static std::vector<Cell> RowOf(const Group& group) {
    const LiveGrowth& growth = group.growth;
    const double error = std::sqrt(growth.variance);
    Cell error_cell{"", error};
    if (!std::isnan(error)) error_cell.text = "± " + TextOf(ValueForm::kBytes, error);
    std::vector<Cell> row = {{growth.IsGrowing() ? "grows" : "", growth.IsGrowing() ? 1.0 : 0.0},
                             NumberCell(ValueForm::kBytes, growth.per_minute),
                             error_cell,
                             NumberCell(ValueForm::kBytes, growth.live),
                             ErrorCell(growth.live, growth.live_variance)};
    for (const double part : growth.by_age) row.push_back(ShareCell(part, growth.live));
    row.push_back(TextCell(group.type));
    row.push_back(TextCell(group.site));
    return row;
  }

  std::string WhyEmpty(size_t judged) const {
    if (history_.snapshots() == 0) {
      return "The recording has no snapshots of live objects: record with event=alloc and live=1.";
    }
    if (judged < LiveHistory::kFewestJudged) {
      return "Growth needs " + std::to_string(LiveHistory::kFewestJudged) +
             " snapshots, each after another collection of old objects: the recording has " +
             std::to_string(judged) + " of them. A longer one has more, and so has one with dumps.";
    }
    return "No sampled object was alive.";
  }

  // Returns "2 of 40 classes grow by more than 4 standard errors, judged by 12 of 14 snapshots, in
  // 11 min".
  std::string TitleOf(const FormatContext& context, const std::vector<Group>& groups,
                      const std::vector<int64_t>& times) const {
    std::string title;
    for (const std::string& part : context.selection) title += part + ' ';
    if (groups.empty()) return title;
    const auto classes = std::ranges::count_if(groups, &std::string::empty, &Group::site);
    const auto growing = std::ranges::count_if(
        groups, [](const Group& group) { return group.site.empty() && group.growth.IsGrowing(); });
    title += std::to_string(growing) + " of " + std::to_string(classes) +
             " classes grow by more than 4 standard errors, judged by " +
             std::to_string(times.size()) + " of " + std::to_string(history_.snapshots()) +
             " snapshots, in " +
             TextOf(ValueForm::kDuration,
                    static_cast<double>(times.back()) - static_cast<double>(times.front()));
    if (!history_.is_whole()) title += "; the later part is left out, which has too many objects";
    return title;
  }

  LiveHistory history_;
  profile::TextTable types_;
  std::vector<Site> sites_;
  KeyMap site_numbers_;  // class and stack -> index into sites_, plus 1
};

}  // namespace

std::unique_ptr<FormatWriter> MakeLeaksView(const FormatOptions& options) {
  return std::make_unique<LeaksView>(options);
}

}  // namespace jprof
