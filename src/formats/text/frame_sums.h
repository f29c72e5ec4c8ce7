// FrameSums: the samples of one kind, summed over a tree of frames with equal texts merged. The
// input of the text formats. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/format_writer.h"
#include "formats/frame_labels.h"
#include "formats/merged_tree.h"
#include "profile/sample_table.h"

namespace jprof {

class OutputStream;

struct FrameSums {
  std::vector<std::string> texts;  // of labels, ascending; printable
  MergedTree tree;
  std::vector<uint64_t> self, total;                                // by node of `tree`
  std::vector<double> summed_self_variance, summed_total_variance;  // of their samples
  const profile::SampleKind& kind;                                  // of the profile
  bool has_errors;  // whether they are estimates of known variance

  // REQUIRES: the profile outlives the object, and has no further kinds then.
  FrameSums(const profile::Profile& profile, const profile::SampleTable& table,
            uint32_t kind_number);

  // Of the node's sums as estimates.
  double SelfVariance(size_t node) const {
    return kind.VarianceOf(static_cast<double>(self[node]), summed_self_variance[node]);
  }
  double TotalVariance(size_t node) const {
    return kind.VarianceOf(static_cast<double>(total[node]), summed_total_variance[node]);
  }

 private:
  FrameSums(const profile::Profile& profile, const profile::SampleTable& table,
            uint32_t kind_number, FrameLabels labels);
};

// What a method did itself, and what the stacks weigh that it is on, however often.
struct MethodSum {
  uint64_t self = 0, total = 0;
  double self_variance = 0, total_variance = 0;  // of them as estimates
};

// By label.
std::vector<MethodSum> MethodSumsOf(const FrameSums& sums);

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
