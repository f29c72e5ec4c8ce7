#include "formats/page/page_data.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/no_samples_hint.h"
#include "base/placeholders.h"
#include "formats/json_writer.h"
#include "formats/merged_tree.h"
#include "formats/output_stream.h"
#include "formats/page/page_frames.h"
#include "formats/page/page_lines.h"
#include "formats/page/page_threads.h"
#include "formats/page/tier_weights.h"
#include "formats/varint_stream.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::CallTree;
using profile::FrameKind;
using profile::FrameKindRow;
using profile::kFrameKindCount;
using profile::kFrameKinds;
using profile::Profile;
using profile::SampleKind;
using profile::SampleTable;
using profile::SampleUnit;

constexpr std::string_view UnitName(SampleUnit unit) {
  switch (unit) {
    case SampleUnit::kSamples:
      return "samples";
    case SampleUnit::kNanos:
      return "ns";
    case SampleUnit::kBytes:
      return "bytes";
  }
  return "";
}

class PageDataWriter {
 public:
  PageDataWriter(const Profile& profile, const SampleTable& table, OutputStream& out)
      : profile_(profile),
        table_(table),
        frames_(profile),
        threads_(profile, table),
        states_(profile, table),
        tree_(profile.stacks, frames_.of_frame),
        lines_(profile, frames_.of_frame, tree_),
        json_(out) {}

  Status Write(const FormatContext& context, const PageSections& sections) {
    json_.BeginObject();
    json_.Number("version", 1);
    json_.Text("title", context.title);
    json_.Text("missing", context.missing);
    json_.Text("jvm", profile_.jvm_version);
    json_.Text("program", profile_.java_arguments);
    json_.Number("pid", static_cast<uint64_t>(std::max<int64_t>(profile_.pid, 0)));
    json_.Number("startMs", Millis(profile_.start_ns));
    json_.Number("endMs", Millis(profile_.end_ns));
    json_.Number("sliceStartMs", Millis(table_.start_ns()));
    json_.Number("sliceMs", Millis(table_.slice_ns()));
    json_.Number("slices", table_.slice_count());
    WriteFrames();
    WriteNodes();
    json_.Text("lines", lines_.Base64());
    json_.Text("linesNote", lines_.IsTooLarge()
                                ? "The recording has too many different stacks for its lines to be "
                                  "in a page: convert a part of it."
                                : "");
    WriteThreads();
    WriteStates();
    WritePlaceholders();
    WriteKinds(context);
    for (const auto& section : sections) {
      const Status written = section->Write({profile_, frames_, table_}, json_);
      if (!written) return written;
    }
    json_.EndObject();
    return {};
  }

 private:
  static uint64_t Millis(int64_t nanos) {
    return static_cast<uint64_t>(std::max<int64_t>(nanos, 0)) / 1'000'000;
  }

  void WriteFrames() {
    json_.BeginArray("frameKinds");
    for (const FrameKindRow& row : kFrameKinds) {
      json_.BeginObject();
      json_.Text("name", row.short_name);
      json_.Text("label", row.label);
      json_.Text("text", row.text);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Texts("owners", frames_.owners);
    json_.Texts("names", frames_.names);
    VarintStream numbers;
    for (const auto& [owner, name, is_symbol] : frames_.frames) {
      numbers.Add(owner);
      numbers.Add(name * 2 + is_symbol);
    }
    json_.Text("frames", numbers.Base64());
  }

  void WriteNodes() {
    VarintStream numbers;
    for (uint32_t node = 1; node < tree_.size(); ++node) {
      numbers.Add(node - tree_.parent[node]);
      numbers.Add(tree_.label[node]);
    }
    json_.Text("nodes", numbers.Base64());
  }

  void WriteThreads() {
    json_.Texts("threads", threads_.names);
    VarintStream counts;
    for (const uint32_t count : threads_.counts) counts.Add(count);
    json_.Text("threadCounts", counts.Base64());
  }

  void WriteStates() { json_.Texts("states", states_.names); }

  // The explanations of the placeholders in the profile.
  void WritePlaceholders() {
    std::set<std::pair<std::string_view, std::string_view>> placeholders;  // name and explanation
    const auto note = [&placeholders](std::string_view name) {
      const PlaceholderRow* row = FindPlaceholder(name);
      if (row != nullptr) placeholders.emplace(name, row->explanation);
    };
    std::for_each(frames_.names.begin(), frames_.names.end(), note);
    std::for_each(threads_.names.begin(), threads_.names.end(), note);
    json_.BeginArray("placeholders");
    for (const auto& [name, explanation] : placeholders) {
      json_.BeginObject();
      json_.Text("name", name);
      json_.Text("text", explanation);
      json_.EndObject();
    }
    json_.EndArray();
  }

  static constexpr int kNodeBits = 36;  // 2^32 nodes times the frame kinds
  static constexpr uint64_t kNodeMask = (uint64_t{1} << kNodeBits) - 1;
  static_assert(kFrameKindCount <= 16);

  struct Cell {
    uint64_t key;  // the group, and NodeOf in the low bits
    uint64_t weight;
  };
  struct Cells {
    std::vector<SampleTable::Group> groups;  // by kind, thread of the page, state, slice
    std::vector<Cell> sorted;
  };

  // A node, with lines if there are any, and how its frame ran, as one number.
  uint64_t NodeOf(uint32_t stack) const {
    const uint32_t frame = profile_.stacks.frame(stack);
    const FrameKind kind =
        stack == CallTree::kRoot ? FrameKind::kMarker : profile_.frames()[frame].kind;
    const uint32_t node = lines_.IsEmpty() ? tree_.of_stack[stack] : lines_.node_of_stack(stack);
    return uint64_t{node} * kFrameKindCount + static_cast<uint64_t>(kind);
  }

  Cells SortedCells() const {
    Cells cells;
    cells.groups = table_.groups();
    for (SampleTable::Group& group : cells.groups) {
      group.thread = threads_.of_thread[group.thread];
      group.state = states_.place[group.state];
    }
    std::vector<uint32_t> order(cells.groups.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&cells](uint32_t i) {
      const SampleTable::Group& group = cells.groups[i];
      return std::tuple(group.kind, group.thread, group.state, group.slice);
    };
    std::sort(order.begin(), order.end(),
              [&key](uint32_t a, uint32_t b) { return key(a) < key(b); });
    std::vector<uint64_t> places(order.size());
    std::vector<SampleTable::Group> sorted_groups;
    for (const uint32_t group : order) {
      places[group] = sorted_groups.size();
      sorted_groups.push_back(cells.groups[group]);
    }
    cells.groups = std::move(sorted_groups);
    cells.sorted.reserve(table_.entry_count());
    table_.ForEach([&](uint32_t group, uint32_t stack, uint64_t weight) {
      cells.sorted.push_back({places[group] << kNodeBits | NodeOf(stack), weight});
    });
    std::sort(cells.sorted.begin(), cells.sorted.end(),
              [](const Cell& a, const Cell& b) { return a.key < b.key; });
    return cells;
  }

  void WriteKinds(const FormatContext& context) {
    const Cells cells = SortedCells();
    std::vector<uint32_t> order;
    for (const uint32_t number : profile_.KindsInOrder()) {
      const SampleKind& kind = profile_.kinds[number];
      // A requested kind without samples is included, with the reason for their absence.
      if (kind.value != 0 || kind.request != 0) order.push_back(number);
    }
    const auto first = std::find(order.begin(), order.end(), context.kind.value_or(0));
    json_.Number("firstKind",
                 first == order.end() ? 0 : static_cast<uint64_t>(first - order.begin()));
    json_.BeginArray("kinds");
    for (const uint32_t number : order) {
      const SampleKind& kind = profile_.kinds[number];
      json_.BeginObject();
      json_.Text("name", kind.name);
      const bool counts = table_.weigh() == profile::Weigh::kSamples;
      json_.Text("unit", UnitName(counts ? SampleUnit::kSamples : kind.unit));
      json_.Number("intervalNs", static_cast<uint64_t>(kind.interval_ns));
      json_.Number("samples", kind.samples);
      json_.Number("elapsed", kind.is_elapsed ? 1 : 0);
      json_.Text("note", kind.samples == 0
                             ? NoSamplesHint(kind.name, kind.interval_ns, profile_.filter)
                             : std::string());
      json_.Text("cells", CellsOf(cells, number));
      json_.Text("tiers", TiersOf(number));
      json_.EndObject();
    }
    json_.EndArray();
  }

  // How the frames of every node with samples of this kind ran: distance from the last such node
  // times 2, plus 1 if in several ways; then the frame kind, or their number and for each frame
  // kind and weight.
  std::string TiersOf(uint32_t kind) const {
    std::vector<uint64_t> stacks(profile_.stacks.size());
    table_.ForEach([&](uint32_t group, uint32_t stack, uint64_t weight) {
      if (table_.groups()[group].kind == kind) stacks[stack] += weight;
    });
    for (uint32_t stack = static_cast<uint32_t>(stacks.size()) - 1; stack != 0; --stack) {
      stacks[profile_.stacks.parent(stack)] += stacks[stack];
    }
    std::vector<TierWeights> tiers(tree_.size());
    for (uint32_t stack = 1; stack < stacks.size(); ++stack) {
      const FrameKind tier = profile_.frames()[profile_.stacks.frame(stack)].kind;
      if (stacks[stack] != 0) tiers[tree_.of_stack[stack]].Add(tier, stacks[stack]);
    }
    VarintStream numbers;
    uint32_t last = 0;
    for (uint32_t node = 1; node < tree_.size(); ++node) {
      if (tiers[node].IsEmpty()) continue;
      tiers[node].AppendTo(numbers, node - last);
      last = node;
    }
    return numbers.Base64();
  }

  // Runs of one thread, state and slice: these three, count, then for each cell its NodeOf, as the
  // distance from the last one, and its weight.
  static std::string CellsOf(const Cells& cells, uint32_t kind) {
    VarintStream numbers;
    const auto group_of = [](const Cell& cell) { return cell.key >> kNodeBits; };
    auto at = std::partition_point(cells.sorted.begin(), cells.sorted.end(), [&](const Cell& cell) {
      return cells.groups[group_of(cell)].kind < kind;
    });
    while (at != cells.sorted.end() && cells.groups[group_of(*at)].kind == kind) {
      const uint64_t number = group_of(*at);
      const auto end = std::find_if(at, cells.sorted.end(),
                                    [&](const Cell& cell) { return group_of(cell) != number; });
      numbers.Add(cells.groups[number].thread);
      numbers.Add(cells.groups[number].state);
      numbers.Add(cells.groups[number].slice);
      numbers.Add(static_cast<uint64_t>(end - at));
      for (uint64_t last = 0; at != end; ++at) {
        const uint64_t node = at->key & kNodeMask;
        numbers.Add(node - last);
        numbers.Add(at->weight);
        last = node;
      }
    }
    return numbers.Base64();
  }

  const Profile& profile_;
  const SampleTable& table_;
  const PageFrames frames_;
  const PageThreads threads_;
  const PageStates states_;
  const MergedTree tree_;
  const PageLines lines_;
  JsonWriter json_;
};

}  // namespace

Status WritePageData(const Profile& profile, const SampleTable& table, const FormatContext& context,
                     const PageSections& sections, OutputStream& out) {
  return PageDataWriter(profile, table, out).Write(context, sections);
}

}  // namespace jprof
