#include "formats/page/page_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/audit_counts.h"
#include "base/placeholders.h"
#include "formats/json_writer.h"
#include "formats/no_samples.h"
#include "formats/output_stream.h"
#include "formats/page/page_model.h"
#include "formats/varint_stream.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

// TierWeights has the weights of a node of the page by frame kind. The kind of a frame says how its
// code ran. Most nodes have frames of only one kind, so the array of all kinds is made only if a
// second kind comes.
class TierWeights {
 public:
  bool IsEmpty() const { return weight_ == 0; }

  void Add(profile::FrameKind tier, uint64_t weight) {
    if (others_ == nullptr && weight_ != 0 && tier != tier_) {
      others_ = std::make_unique<std::array<uint64_t, profile::kFrameKindCount>>();
      (*others_)[static_cast<size_t>(tier_)] = weight_;
    }
    if (others_ != nullptr) (*others_)[static_cast<size_t>(tier)] += weight;
    tier_ = tier;
    weight_ += weight;
  }

  void AppendTo(VarintStream& numbers, uint64_t distance) const {
    numbers.Add(distance * 2 + (others_ != nullptr ? 1 : 0));
    if (others_ == nullptr) {
      numbers.Add(static_cast<uint64_t>(tier_));
      return;
    }
    numbers.Add(profile::kFrameKindCount -
                static_cast<size_t>(std::count(others_->begin(), others_->end(), 0)));
    for (size_t tier = 0; tier < profile::kFrameKindCount; ++tier) {
      if ((*others_)[tier] == 0) continue;
      numbers.Add(tier);
      numbers.Add((*others_)[tier]);
    }
  }

 private:
  profile::FrameKind tier_ = profile::FrameKind::kJava;  // the kind that was added last
  uint64_t weight_ = 0;
  // The weights, indexed by frame kind; null if all frames are of the kind tier_.
  std::unique_ptr<std::array<uint64_t, profile::kFrameKindCount>> others_;
};

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
      : page_(profile, table), json_(out) {}

  Status Write(const FormatContext& context, const PageSections& sections) {
    json_.BeginObject();
    json_.Number("version", 1);
    json_.Text("title", context.title);
    json_.Text("missing", context.missing);
    json_.Text("jvm", page_.profile.jvm_version);
    json_.Text("program", page_.profile.java_arguments);
    json_.Text("audit", page_.profile.audit ? AuditText(*page_.profile.audit) : "");
    json_.Number("pid", static_cast<uint64_t>(std::max<int64_t>(page_.profile.pid, 0)));
    json_.Number("startMs", Millis(page_.profile.start_ns));
    json_.Number("endMs", Millis(page_.profile.end_ns));
    json_.Number("sliceStartMs", Millis(page_.table.start_ns()));
    json_.Number("sliceMs", Millis(page_.table.slice_ns()));
    json_.Number("slices", page_.table.slice_count());
    WriteFrames();
    WriteNodes();
    WriteThreads();
    WriteStates();
    WritePlaceholders();
    WriteKinds(context);
    for (const auto& section : sections) {
      const Status written = section->Write(page_, json_);
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
    json_.Texts("owners", page_.frames.owners);
    json_.Texts("names", page_.frames.names);
    VarintStream numbers;
    for (const auto& [owner, name, is_symbol] : page_.frames.frames) {
      numbers.Add(owner);
      numbers.Add(name * 2 + is_symbol);
    }
    json_.Text("frames", numbers.Base64());
  }

  void WriteNodes() {
    VarintStream numbers;
    for (uint32_t node = 1; node < page_.tree.size(); ++node) {
      numbers.Add(node - page_.tree.parent[node]);
      numbers.Add(page_.tree.label[node]);
    }
    json_.Text("nodes", numbers.Base64());
  }

  void WriteThreads() {
    json_.Texts("threads", page_.threads.names);
    VarintStream counts;
    for (const uint32_t count : page_.threads.counts) counts.Add(count);
    json_.Text("threadCounts", counts.Base64());
  }

  void WriteStates() { json_.Texts("states", page_.states.names); }

  // Writes the explanations of the placeholders that occur in the profile.
  void WritePlaceholders() {
    std::set<std::pair<std::string_view, std::string_view>> placeholders;  // name and explanation
    const auto note = [&placeholders](std::string_view name) {
      const PlaceholderRow* row = FindPlaceholder(name);
      if (row != nullptr) placeholders.emplace(name, row->explanation);
    };
    std::for_each(page_.frames.names.begin(), page_.frames.names.end(), note);
    std::for_each(page_.threads.names.begin(), page_.threads.names.end(), note);
    json_.BeginArray("placeholders");
    for (const auto& [name, explanation] : placeholders) {
      json_.BeginObject();
      json_.Text("name", name);
      json_.Text("text", explanation);
      json_.EndObject();
    }
    json_.EndArray();
  }

  PageCells Cells() const {
    std::vector<SampleTable::Group> groups = page_.table.groups();
    for (SampleTable::Group& group : groups) {
      group.thread = page_.threads.of_thread[group.thread];
      group.state = page_.states.place[group.state];
    }
    PageCells cells(groups);
    cells.Reserve(page_.table.entry_count());
    page_.table.ForEach([&](uint32_t group, uint32_t stack, const SampleTable::WeightSum& sum) {
      cells.Add(group, page_.PlaceOf(stack), sum);
    });
    cells.Sort();
    return cells;
  }

  void WriteKinds(const FormatContext& context) {
    const PageCells cells = Cells();
    const auto first = std::ranges::find(page_.kinds, context.kind.value_or(0));
    json_.Number("firstKind", first == page_.kinds.end()
                                  ? 0
                                  : static_cast<uint64_t>(first - page_.kinds.begin()));
    json_.BeginArray("kinds");
    for (const uint32_t number : page_.kinds) {
      const SampleKind& kind = page_.profile.kinds[number];
      json_.BeginObject();
      json_.Text("name", kind.name);
      const bool counts = page_.table.weigh() == profile::Weigh::kSamples;
      json_.Text("unit", UnitName(counts ? SampleUnit::kSamples : kind.unit));
      json_.Number("intervalNs", static_cast<uint64_t>(kind.interval_ns));
      json_.Number("samples", kind.samples);
      json_.Number("elapsed", kind.is_elapsed ? 1 : 0);
      json_.Text("note", page_.profile.HasSamplesOfRequest(kind)
                             ? std::string()
                             : ExplainNoSamples(page_.profile, kind));
      json_.Text("cells", cells.Of(number));
      if (page_.table.HasErrors(kind)) {
        json_.Text("errors", cells.ErrorsOf(number));
        if (!std::isnan(kind.summed_variance)) {
          json_.Number("error", static_cast<uint64_t>(std::llround(std::sqrt(kind.variance))));
        }
      }
      json_.Text("tiers", TiersOf(number));
      json_.EndObject();
    }
    json_.EndArray();
  }

  // Returns the frame kinds of all nodes that have samples of the kind `kind`, as a sequence of
  // numbers. Each of these nodes takes two or more numbers. The first one is 2 * d + s, where d is
  // the number of the node minus the number of the node before it in the sequence. If the node has
  // one frame kind, s is 0, and the frame kind follows. If the node has several, s is 1, and what
  // follows is the number of frame kinds, and then each frame kind with its weight.
  std::string TiersOf(uint32_t kind) const {
    std::vector<uint64_t> stacks(page_.profile.stacks.size());
    page_.table.ForEach([&](uint32_t group, uint32_t stack, const SampleTable::WeightSum& sum) {
      if (page_.table.groups()[group].kind == kind) stacks[stack] += sum.weight;
    });
    for (uint32_t stack = static_cast<uint32_t>(stacks.size()) - 1; stack != 0; --stack) {
      stacks[page_.profile.stacks.parent(stack)] += stacks[stack];
    }
    std::vector<TierWeights> tiers(page_.tree.size());
    for (uint32_t stack = 1; stack < stacks.size(); ++stack) {
      const FrameKind tier = page_.profile.frames()[page_.profile.stacks.frame(stack)].kind;
      if (stacks[stack] != 0) tiers[page_.tree.of_stack[stack]].Add(tier, stacks[stack]);
    }
    VarintStream numbers;
    uint32_t last = 0;
    for (uint32_t node = 1; node < page_.tree.size(); ++node) {
      if (tiers[node].IsEmpty()) continue;
      tiers[node].AppendTo(numbers, node - last);
      last = node;
    }
    return numbers.Base64();
  }

  const PageModel page_;
  JsonWriter json_;
};

}  // namespace

Status WritePageData(const Profile& profile, const SampleTable& table, const FormatContext& context,
                     const PageSections& sections, OutputStream& out) {
  return PageDataWriter(profile, table, out).Write(context, sections);
}

}  // namespace jprof
