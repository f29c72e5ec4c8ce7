#include "formats/text/tree_writer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/output_stream.h"
#include "formats/text/error_text.h"
#include "formats/text/text_writer.h"

namespace jprof {
namespace {

constexpr std::string_view kShareTitle = "share", kSelfTitle = "self", kTotalTitle = "total";

class Tree {
 public:
  Tree(const FrameSums& sums, const WeightText& weights, OutputStream& out)
      : sums_(sums), weights_(weights), out_(out), children_(sums.tree.size()) {
    for (uint32_t node = 1; node < sums.tree.size(); ++node) {
      if (sums.total[node] != 0) children_[sums.tree.parent[node]].push_back(node);
    }
    for (std::vector<uint32_t>& each : children_) {
      // Nodes are numbered in the order of their texts.
      std::stable_sort(each.begin(), each.end(),
                       [&sums](uint32_t a, uint32_t b) { return sums.total[a] > sums.total[b]; });
    }
    width_ = std::max(kTotalTitle.size(), weights.Of(sums.total[0]).size());
  }

  // No recursion: stacks may be of any depth. A frame is further to the right than its caller only
  // if the caller has others: most frames of a deep stack have one callee.
  void Write() {
    out_.Text(RightAligned(std::string(kTotalTitle), width_) + "  " + ErrorCell("error") +
              RightAligned(std::string(kShareTitle), kShareWidth) + "  " +
              RightAligned(std::string(kSelfTitle), width_) + "  " + ErrorCell("error") +
              std::string(weights_.unit()) + "\n");
    struct Entry {
      uint32_t node;
      size_t indent;
    };
    std::vector<Entry> pending;
    const auto push_children = [&](uint32_t node, size_t indent) {
      const std::vector<uint32_t>& children = children_[node];
      const size_t deeper = children.size() > 1 && node != 0 ? indent + 1 : indent;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        pending.push_back({*child, deeper});
      }
    };
    push_children(0, 0);
    while (!pending.empty()) {
      const Entry entry = pending.back();
      pending.pop_back();
      WriteLine(entry.node, entry.indent);
      push_children(entry.node, entry.indent);
    }
  }

 private:
  void WriteLine(uint32_t node, size_t indent) {
    out_.Text(RightAligned(weights_.Of(sums_.total[node]), width_));
    out_.Text("  ");
    const auto total = static_cast<double>(sums_.total[node]);
    out_.Text(ErrorCell(ErrorText(total, sums_.TotalVariance(node))));
    out_.Text(RightAligned(ShareText(sums_.total[node], sums_.total[0]), kShareWidth));
    out_.Text("  ");
    const uint64_t self = sums_.self[node];
    out_.Text(RightAligned(self == 0 ? "" : weights_.Of(self), width_));
    out_.Text("  ");
    out_.Text(ErrorCell(ErrorText(static_cast<double>(self), sums_.SelfVariance(node))));
    for (size_t i = 0; i < indent; ++i) out_.Text("| ");
    out_.Text(sums_.texts[sums_.tree.label[node]]);
    out_.Text("\n");
  }

  // Of a column that there is only where errors are known.
  std::string ErrorCell(const std::string& text) const {
    return sums_.has_errors ? RightAligned(text, kErrorWidth) + "  " : std::string();
  }

  const FrameSums& sums_;
  const WeightText& weights_;
  OutputStream& out_;
  std::vector<std::vector<uint32_t>> children_;
  size_t width_ = 0;
};

class TreeWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  void WriteSums(const FrameSums& sums, const WeightText& weights,
                 OutputStream& out) const override {
    Tree(sums, weights, out).Write();
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeTreeWriter(const FormatOptions& options) {
  return std::make_unique<TreeWriter>(options);
}

}  // namespace jprof
