#include "formats/text/flat_writer.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "formats/output_stream.h"
#include "formats/text/frame_sums.h"

namespace jprof {
namespace {

using profile::SampleTable;

constexpr size_t kShareWidth = 6;  // "100.0%"

struct MethodSum {
  uint32_t label;
  uint64_t self = 0, total = 0;
};

// By label; a method that calls itself counts once in `total`.
std::vector<MethodSum> SumsOf(const FrameSums& sums) {
  std::vector<MethodSum> methods;
  for (uint32_t label = 0; label < sums.texts.size(); ++label) methods.push_back({label});
  std::vector<uint32_t> on_path(sums.texts.size());  // how often a label is above the current node
  std::vector<uint32_t> path;  // from the root to the current node, without it
  for (uint32_t node = 1; node < sums.tree.size(); ++node) {
    const uint32_t parent = sums.tree.parent[node];
    while (!path.empty() && path.back() != parent) {
      --on_path[sums.tree.label[path.back()]];
      path.pop_back();
    }
    MethodSum& method = methods[sums.tree.label[node]];
    method.self += sums.self[node];
    if (on_path[method.label]++ == 0) method.total += sums.total[node];
    path.push_back(node);
  }
  std::erase_if(methods, [](const MethodSum& method) { return method.total == 0; });
  std::sort(methods.begin(), methods.end(), [](const MethodSum& a, const MethodSum& b) {
    return std::tuple(b.self, b.total, a.label) < std::tuple(a.self, a.total, b.label);
  });
  return methods;
}

class FlatWriter : public FormatWriter {
 public:
  explicit FlatWriter(const FormatOptions& options)
      : table_(options.total.value_or(profile::Weigh::kSamples), SampleTable::Slices::kOne) {}

  void OnSample(const profile::Sample& sample) override { table_.OnSample(sample); }

  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) override {
    table_.Finish();
    WriteHeading(profile, context, out);
    if (!context.kind) return {};
    const FrameSums sums(profile, table_, *context.kind);
    const WeightText weights(profile.kinds[*context.kind], table_.weigh());
    const uint64_t all = sums.total[0];
    const size_t width = std::max<size_t>(5, weights.Of(all).size());
    const auto write_line = [&](const std::string& self, const std::string& self_share,
                                const std::string& total, const std::string& total_share,
                                const std::string& text) {
      out.Text(RightAligned(self, width) + "  " + RightAligned(self_share, kShareWidth) + "  " +
               RightAligned(total, width) + "  " + RightAligned(total_share, kShareWidth) + "  " +
               text + "\n");
    };
    write_line("self", "share", "total", "share", std::string(weights.unit()));
    for (const MethodSum& method : SumsOf(sums)) {
      write_line(weights.Of(method.self), ShareText(method.self, all), weights.Of(method.total),
                 ShareText(method.total, all), sums.texts[method.label]);
    }
    return {};
  }

 private:
  SampleTable table_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options) {
  return std::make_unique<FlatWriter>(options);
}

}  // namespace jprof
