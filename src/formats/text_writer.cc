// The writers of the formats tree and flat.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/format_table.h"
#include "formats/output_stream.h"
#include "formats/text_sums.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::SampleTable;

constexpr size_t kShareWidth = 6;  // "100.0%"
constexpr size_t kErrorWidth = 8;  // "± 0.12 %"

// TextWriter is the base class of both writers. It sums the samples in a table and writes the
// heading. A subclass writes the sums of one kind.
class TextWriter : public FormatWriter {
 public:
  explicit TextWriter(const FormatOptions& options)
      : table_(options.total.value_or(profile::Weigh::kSamples), SampleTable::Slices::kOne) {}

  void OnSample(const profile::Sample& sample) final { table_.OnSample(sample); }
  profile::StackUse UseOfEventStacks() const final { return profile::StackUse::kNone; }
  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) final {
    table_.Finish();
    WriteHeading(profile, context, out);
    if (!context.kind) return {};
    const WeightText weights(profile.kinds[*context.kind], table_.weigh());
    WriteSums(profile, *context.kind, weights, out);
    return {};
  }

 protected:
  virtual void WriteSums(const profile::Profile& profile, uint32_t kind, const WeightText& weights,
                         OutputStream& out) = 0;

  SampleTable& table() { return table_; }

 private:
  SampleTable table_;
};

class FlatWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

  profile::StackUse UseOfStacks() const override { return profile::StackUse::kUntilForgotten; }
  void OnStacksForgotten(const profile::Profile& profile) override {
    table().Finish();
    sums_.Add(profile, table());
    table().Clear();
  }

 protected:
  void WriteSums(const profile::Profile& profile, uint32_t kind, const WeightText& weights,
                 OutputStream& out) override {
    sums_.Add(profile, table());
    const MethodSums::OfKind sums = sums_.Of(profile.kinds[kind], kind);
    const bool has_errors = table().HasErrors(profile.kinds[kind]);
    const size_t width = std::max<size_t>(5, weights.Of(sums.all).size());
    const auto cells = [&](const std::string& weight, const std::string& error,
                           const std::string& share) {
      return RightAligned(weight, width) + "  " +
             (has_errors ? RightAligned(error, kErrorWidth) + "  " : std::string()) +
             RightAligned(share, kShareWidth) + "  ";
    };
    const auto cells_of = [&](uint64_t weight, double variance) {
      return cells(weights.Of(weight), ErrorText(static_cast<double>(weight), variance),
                   ShareText(weight, sums.all));
    };
    out.Text(cells("self", "error", "share") + cells("total", "error", "share") +
             std::string(weights.unit()) + "\n");
    // Sorts the methods by self weight, the largest first. Methods with equal self weight are
    // sorted by total weight, and methods with both equal by text.
    std::vector<const std::pair<const std::string, MethodSum>*> methods;
    for (const auto& method : sums.methods) methods.push_back(&method);
    std::ranges::stable_sort(methods, [](const auto* a, const auto* b) {
      return std::pair(a->second.self, a->second.total) >
             std::pair(b->second.self, b->second.total);
    });
    for (const auto* method : methods) {
      const auto& [text, sum] = *method;
      out.Text(cells_of(sum.self, sum.self_variance) + cells_of(sum.total, sum.total_variance) +
               text + "\n");
    }
  }

 private:
  MethodSums sums_;
};

constexpr std::string_view kShareTitle = "share", kSelfTitle = "self", kTotalTitle = "total";

class Tree {
 public:
  Tree(const FrameSums& sums, const WeightText& weights, OutputStream& out)
      : sums_(sums),
        weights_(weights),
        out_(out),
        children_(sums, {}),
        width_(std::max(kTotalTitle.size(), weights.Of(sums.nodes.total[0]).size())) {}

  // Writes the tree. Does not use recursion, because stacks can have any depth. A frame is indented
  // more than its caller only if the caller has several callees. Most frames of a deep stack have
  // one callee, so deep stacks need little indentation.
  void Write() {
    out_.Text(RightAligned(std::string(kTotalTitle), width_) + "  " + ErrorCell("error") +
              RightAligned(std::string(kShareTitle), kShareWidth) + "  " +
              RightAligned(std::string(kSelfTitle), width_) + "  " + ErrorCell("error") +
              std::string(weights_.unit()) + "\n");
    struct PendingNode {
      uint32_t node;
      size_t indent;
    };
    std::vector<PendingNode> pending;
    const auto push_children = [&](uint32_t node, size_t indent) {
      const std::span<const uint32_t> children = children_.Of(node);
      const size_t deeper = children.size() > 1 && node != 0 ? indent + 1 : indent;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        pending.push_back({*child, deeper});
      }
    };
    push_children(0, 0);
    while (!pending.empty()) {
      const PendingNode entry = pending.back();
      pending.pop_back();
      WriteLine(entry.node, entry.indent);
      push_children(entry.node, entry.indent);
    }
  }

 private:
  void WriteLine(uint32_t node, size_t indent) {
    const uint64_t weight = sums_.nodes.total[node];
    out_.Text(RightAligned(weights_.Of(weight), width_));
    out_.Text("  ");
    const auto total = static_cast<double>(weight);
    out_.Text(ErrorCell(ErrorText(total, sums_.TotalVariance(node))));
    out_.Text(RightAligned(ShareText(weight, sums_.nodes.total[0]), kShareWidth));
    out_.Text("  ");
    const uint64_t self = sums_.nodes.self[node];
    out_.Text(RightAligned(self == 0 ? "" : weights_.Of(self), width_));
    out_.Text("  ");
    out_.Text(ErrorCell(ErrorText(static_cast<double>(self), sums_.SelfVariance(node))));
    for (size_t i = 0; i < indent; ++i) out_.Text("| ");
    out_.Text(sums_.tree.texts[sums_.tree.nodes.label[node]]);
    out_.Text("\n");
  }

  // Returns `text` as a cell of the error column. Returns an empty text if the errors are unknown,
  // because there is no error column then.
  std::string ErrorCell(const std::string& text) const {
    return sums_.has_errors ? RightAligned(text, kErrorWidth) + "  " : std::string();
  }

  const FrameSums& sums_;
  const WeightText& weights_;
  OutputStream& out_;
  const HeaviestChildren children_;
  const size_t width_;
};

class TreeWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  void WriteSums(const profile::Profile& profile, uint32_t kind, const WeightText& weights,
                 OutputStream& out) override {
    const FrameSums sums(profile, table(), kind);
    Tree(sums, weights, out).Write();
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options) {
  return std::make_unique<FlatWriter>(options);
}

std::unique_ptr<FormatWriter> MakeTreeWriter(const FormatOptions& options) {
  return std::make_unique<TreeWriter>(options);
}

}  // namespace jprof
