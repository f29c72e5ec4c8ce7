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
  std::vector<uint64_t> self, total;                  // by node of `tree`
  std::vector<double> self_variance, total_variance;  // of them as estimates
  bool has_errors;                                    // whether these are known

  FrameSums(const profile::Profile& profile, const profile::SampleTable& table, uint32_t kind);

 private:
  FrameSums(const profile::Profile& profile, const profile::SampleTable& table, uint32_t kind,
            FrameLabels labels);
};

// What a method did itself, and what the stacks weigh that it is on, however often.
struct MethodSum {
  uint64_t self = 0, total = 0;
  double self_variance = 0, total_variance = 0;  // as in FrameSums
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
