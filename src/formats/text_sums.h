// This file declares sums of samples for text outputs (formats and views), and functions that
// return weights, shares and errors as texts. Frames with equal texts are merged. Used by one
// thread.
//
//   FrameSums    sums the samples of one kind over a tree of frames
//   MethodSums   sums the samples of each kind by method
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

// The weight of the samples in a method itself (`self`), and the weight of all samples whose stacks
// contain the method (`total`). A stack that contains the method several times counts once.
struct MethodSum {
  uint64_t self = 0, total = 0;
  // The variances of `self` and `total` as estimates; NaN if unknown.
  double self_variance = 0, total_variance = 0;
};

// MethodSums sums the samples of each kind by method. It keeps no stacks, so its memory grows only
// with the number of methods.
class MethodSums {
 public:
  struct OfKind {
    std::map<std::string, MethodSum> methods;  // keyed by printable text
    uint64_t all = 0;                          // the weight of all samples
  };

  // Adds the sums of the table. The profile must still have the stacks of the table.
  // REQUIRES: all tables with samples of one kind have the same Weigh.
  void Add(const profile::Profile& profile, const profile::SampleTable& table);

  // Returns the sums of the kind `kind`, whose number is `number`, with the variances that
  // SampleKind::VarianceOf returns. REQUIRES: all samples have been added.
  OfKind Of(const profile::SampleKind& kind, uint32_t number) const;

 private:
  // Keyed by the number of the kind. A variance in this map is the sum of the variances of the
  // samples. The function `Of` converts it (SampleKind::VarianceOf).
  std::map<uint32_t, OfKind> kinds_;
};

class OutputStream;

// TextTree has the stacks of a profile, merged where frames have equal printable texts.
struct TextTree {
  std::vector<std::string> texts;  // printable texts of the labels, ascending
  MergedTree nodes;

  explicit TextTree(const profile::Profile& profile);

 private:
  TextTree(const profile::Profile& profile, FrameLabels labels);
};

// NodeSums sums the samples of one kind by node of a tree. `self` is the weight of the samples
// whose stacks end at the node. `total` is the weight of the samples whose stacks end at the node
// or below it.
struct NodeSums {
  std::vector<uint64_t> self, total;
  // The sums of the variances of the samples; empty if unknown.
  std::vector<double> self_variance, total_variance;

  NodeSums(const MergedTree& tree, const profile::SampleTable& table, uint32_t kind_number,
           bool has_errors);

  // Returns the sums by label. REQUIRES: this object has the sums of `tree`.
  std::vector<MethodSum> ByLabel(const TextTree& tree) const;
};

// FrameSums sums the samples of one kind over the tree of a profile's frames.
struct FrameSums {
  TextTree tree;
  const profile::SampleKind& kind;  // an element of the profile's kinds
  bool has_errors;                  // true if the sums are estimates with known variances
  NodeSums nodes;

  // REQUIRES: the profile outlives the object, and no kind is added to the profile while the object
  // exists.
  FrameSums(const profile::Profile& profile, const profile::SampleTable& table,
            uint32_t kind_number);

  // Returns the variance of the node's self weight as an estimate; kNotKnown if it is unknown.
  double SelfVariance(size_t node) const {
    return VarianceOf(nodes.self, nodes.self_variance, node);
  }
  // Returns the variance of the node's total weight as an estimate; kNotKnown if it is unknown.
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

// HeaviestChildren lists, for every node, the children that have a total weight above 0, the
// heaviest first. Children of equal weight are in the order of their texts.
class HeaviestChildren {
 public:
  // If is_shown[node] is false, the node is not listed. An empty `is_shown` means that all nodes
  // are listed.
  HeaviestChildren(const FrameSums& sums, const std::vector<bool>& is_shown);

  std::span<const uint32_t> Of(uint32_t node) const {
    return {nodes_.data() + begins_[node], nodes_.data() + begins_[node + 1]};
  }

 private:
  std::vector<uint32_t> nodes_;  // ordered by parent
  // By parent, the index in nodes_ at which its children start. The last element is nodes_.size().
  std::vector<uint32_t> begins_;
};

// WeightText writes the weights of a kind as numbers of a unit.
class WeightText {
 public:
  WeightText(const profile::SampleKind& kind, profile::Weigh weigh);

  std::string Of(uint64_t weight) const;           // a number in unit(): "12", "3.456"
  std::string_view unit() const { return unit_; }  // "samples", "ms", "bytes"

 private:
  std::string_view unit_ = "samples";
};

// Writes the line "# cpu: 379 samples of 2 ms; app.jfr", a line for each option that selects
// samples, and, if a part of the recording is missing, a line about this part.
void WriteHeading(const profile::Profile& profile, const FormatContext& context, OutputStream& out);

// Returns the standard error of `estimate` as a share of `estimate`, with two digits: "± 3.1 %".
// Returns an empty text if `variance` is unknown (NaN) or `estimate` is not positive.
std::string ErrorText(double estimate, double variance);

// Returns `part` as a share of `whole`: "12.3%"; "0.0%" if `whole` is 0.
std::string ShareText(uint64_t part, uint64_t whole);

// Returns `text` with blanks in front of it, so that the result has at least `width` characters of
// UTF-8.
std::string RightAligned(const std::string& text, size_t width);

}  // namespace jprof
