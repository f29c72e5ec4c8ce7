// FrameSums: the samples of one kind, summed over a tree of frames with equal texts merged. The
// input of trees as text. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "formats/format_row.h"
#include "formats/merged_tree.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

// MethodSums: the samples of each kind summed by method, for texts of methods. The stacks are
// needed only until Add: memory is that of the methods.

// What a method did itself, and what the stacks weigh that it is on, however often.
struct MethodSum {
  uint64_t self = 0, total = 0;
  double self_variance = 0, total_variance = 0;  // of them as estimates
};

class MethodSums {
 public:
  struct OfKind {
    std::map<std::string, MethodSum> methods;  // by printable text
    uint64_t all = 0;                          // the weight of all samples
  };

  // Adds the sums of the table, whose stacks are those of the profile now.
  // REQUIRES: samples of one kind are in tables of one Weigh.
  void Add(const profile::Profile& profile, const profile::SampleTable& table);

  // The sums of the kind, with the variances that it has when all samples are known.
  OfKind Of(const profile::SampleKind& kind, uint32_t number) const;

 private:
  std::map<uint32_t, OfKind> kinds_;  // the variances are the sums of those of the samples
};

class OutputStream;

// The stacks of a profile, by the texts of their frames.
struct TextTree {
  std::vector<std::string> texts;  // of labels, ascending; printable
  MergedTree nodes;

  explicit TextTree(const profile::Profile& profile);

 private:
  TextTree(const profile::Profile& profile, FrameLabels labels);
};

// The samples of one kind by node of a tree: those that end there, and those below as well.
struct NodeSums {
  std::vector<uint64_t> self, total;
  std::vector<double> self_variance, total_variance;  // of the samples; empty: not known

  NodeSums(const MergedTree& tree, const profile::SampleTable& table, uint32_t kind_number,
           bool has_errors);

  // REQUIRES: `tree` is that of the sums.
  std::vector<MethodSum> ByLabel(const TextTree& tree) const;
};

struct FrameSums {
  TextTree tree;
  const profile::SampleKind& kind;  // of the profile
  bool has_errors;                  // whether they are estimates of known variance
  NodeSums nodes;

  // REQUIRES: the profile outlives the object, and has no further kinds then.
  FrameSums(const profile::Profile& profile, const profile::SampleTable& table,
            uint32_t kind_number);

  // Of the node's sums as estimates.
  double SelfVariance(size_t node) const {
    return VarianceOf(nodes.self, nodes.self_variance, node);
  }
  double TotalVariance(size_t node) const {
    return VarianceOf(nodes.total, nodes.total_variance, node);
  }

 private:
  double VarianceOf(const std::vector<uint64_t>& sums, const std::vector<double>& variances,
                    size_t node) const {
    if (variances.empty()) return profile::kNotKnown;
    return kind.VarianceOf(static_cast<double>(sums[node]), variances[node]);
  }
};

// The children of every node that has weight, the heaviest first; of equals in the order of their
// texts.
class HeaviestChildren {
 public:
  // `is_shown`: by node; empty: all are.
  HeaviestChildren(const FrameSums& sums, const std::vector<bool>& is_shown);

  std::span<const uint32_t> Of(uint32_t node) const {
    return {nodes_.data() + begins_[node], nodes_.data() + begins_[node + 1]};
  }

 private:
  std::vector<uint32_t> nodes_;   // by parent
  std::vector<uint32_t> begins_;  // by parent, in nodes_; and the end of the last one
};

// How the weights of a kind are written.
class WeightText {
 public:
  WeightText(const profile::SampleKind& kind, profile::Weigh weigh);

  std::string Of(uint64_t weight) const;           // "12", "3.456", in `unit`
  std::string_view unit() const { return unit_; }  // "samples", "ms", "bytes"

 private:
  std::string_view unit_ = "samples";
};

// "# cpu: 379 samples of 2 ms; app.jfr", and what was selected and what is missing.
void WriteHeading(const profile::Profile& profile, const FormatContext& context, OutputStream& out);

// "12.3%": of a whole; "0.0%" of nothing.
std::string ShareText(uint64_t part, uint64_t whole);

// `text` behind blanks, so that it is at least `width` characters wide.
std::string RightAligned(const std::string& text, size_t width);

}  // namespace jprof
