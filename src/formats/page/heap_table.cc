#include "formats/page/heap_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/page/event_tables.h"
#include "formats/page/table_columns.h"
#include "profile/analysis/allocation_site.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleKind;
using profile::SampleTable;

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

// Sites by class and method: both are numbers of methods plus 1; 0: unknown.
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
    const auto type = profile.ClassOf(stack), method = AllocationSiteOf(profile, stack);
    Site& site = sites[{type ? *type + 1 : 0, method ? *method + 1 : 0}];
    (kind == alloc ? site.allocated : site.live).Add(sum);
  });
  return sites;
}

// EstimateColumns: the columns of an estimate and of its errors; errors only if they are known.
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

// Returns the sites with the most live bytes, those with the most first.
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

}  // namespace

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
    // Objects that were allocated before the recording are only in live: such a site has no share.
    const bool is_part = site.live.bytes <= site.allocated.bytes && site.allocated.bytes > 0;
    is_part ? shares.Add(site.live.bytes / site.allocated.bytes) : shares.AddNone();
    add(types, key.first);
    add(methods, key.second);
  }
  json.BeginObject();
  json.Text("name", "allocated and live");
  json.Text("label", "Allocated, and what stays");
  json.Number("count", sites.size());
  json.BeginArray("fields");
  allocated.Write("allocated", "Allocated", json);
  lives.Write("live", "Live", json);
  shares.Write("stays", "Stays", json);
  types.Write("class", "Class", json);
  methods.Write("site", "Allocated in", json);
  json.EndArray();
  json.EndObject();
}

}  // namespace jprof
