// The writer of collapsed stacks, which other flame graph tools read: a line "frame;frame COUNT"
// for each stack, with the outermost frame first.
//
// The output has the samples of one kind. Equal lines are merged, and the lines are sorted, so that
// equal profiles give equal files. The writer uses the options `total` (by default samples),
// `threads` and `suffixes`.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/format_table.h"
#include "formats/merged_tree.h"
#include "formats/output_stream.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::ProfileThread;
using profile::RowOf;
using profile::SampleTable;

// Replaces the characters that separate frames and lines (';', '\n', '\r') in the text of a frame.
std::string FrameField(std::string text) {
  for (char& c : text) {
    if (c == ';') c = '|';
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string ThreadField(const Profile& profile, uint32_t number) {
  const ProfileThread& thread = profile.threads()[number];
  std::string name = profile.ThreadName(number);
  if (name.empty()) name = "virtual thread";
  return FrameField("[" + name + " tid=" + std::to_string(thread.id()) + "]");
}

class LineWriter {
 public:
  LineWriter(const MergedTree& tree, const FrameLabels& frames, OutputStream& out)
      : tree_(tree), frames_(frames), out_(out) {}

  // Writes a line for each node with a weight. Then sets all `weights` to 0, so that the caller can
  // fill them again.
  void WritePart(const std::string& first_frame, std::vector<uint64_t>& weights) {
    line_ = first_frame;
    ends_ = {line_.size()};
    depths_.resize(tree_.size());
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      if (node != 0) Enter(node);
      if (weights[node] == 0) continue;
      out_.Text(line_);
      out_.Text(" ");
      out_.Number(weights[node]);
      out_.Text("\n");
      weights[node] = 0;
    }
  }

 private:
  // Sets `line_` to the line of `node`, which is the line of its parent followed by the frame of
  // `node`. Nodes come in preorder, so `line_` already starts with the line of the parent.
  void Enter(uint32_t node) {
    depths_[node] = depths_[tree_.parent[node]] + 1;
    ends_.resize(depths_[node]);
    line_.resize(ends_.back());
    if (!line_.empty()) line_ += ';';
    line_ += frames_.texts[tree_.label[node]];
    ends_.push_back(line_.size());
  }

  const MergedTree& tree_;
  const FrameLabels& frames_;
  OutputStream& out_;
  std::string line_;
  std::vector<size_t> ends_;  // by depth: where the ancestor's line ends in line_
  std::vector<uint32_t> depths_;
};

class CollapsedWriter : public FormatWriter {
 public:
  explicit CollapsedWriter(const FormatOptions& options)
      : options_(options),
        table_(options.total.value_or(profile::Weigh::kSamples), SampleTable::Slices::kOne) {}

  void OnSample(const profile::Sample& sample) override { table_.OnSample(sample); }

  Status Write(const Profile& profile, const FormatContext& context, OutputStream& out) override {
    if (!context.kind) return {};
    table_.Finish();
    const FrameLabels frames(profile, [this](std::string text, const profile::ProfileFrame& frame) {
      text = FrameField(std::move(text));
      if (options_.suffixes == TierSuffixes::kAppend) text += RowOf(frame.kind).suffix;
      return text;
    });
    const MergedTree tree(profile.stacks, frames.of_frame);
    LineWriter writer(tree, frames, out);

    struct StackWeight {
      uint32_t stack;
      uint64_t weight;
    };
    std::map<std::string, std::vector<StackWeight>> parts;
    table_.ForEach([&](uint32_t number, uint32_t stack, const SampleTable::WeightSum& sum) {
      const SampleTable::Group& group = table_.groups()[number];
      if (group.kind != *context.kind) return;
      const bool split = options_.threads == ThreadFrames::kFirst;
      parts[split ? ThreadField(profile, group.thread) : std::string()].push_back(
          {stack, sum.weight});
    });
    std::vector<uint64_t> weights(tree.size());
    for (const auto& [first_frame, stacks] : parts) {
      for (const StackWeight& each : stacks) weights[tree.of_stack[each.stack]] += each.weight;
      writer.WritePart(first_frame, weights);
    }
    return {};
  }

 private:
  const FormatOptions options_;
  SampleTable table_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeCollapsedWriter(const FormatOptions& options) {
  return std::make_unique<CollapsedWriter>(options);
}

}  // namespace jprof
