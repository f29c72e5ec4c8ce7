// SliceReader reads the totals of a slice by the names of kinds, threads and stacks.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "conversion/parse_slice.h"
#include "profile/read_slices.h"

namespace jprof::test {

struct Totals {
  uint64_t samples = 0, value = 0;
  bool operator==(const Totals&) const = default;
};

// The totals by kind, thread and stack ("a.B.run;a.B.work").
using SliceTotals = std::map<std::tuple<std::string, std::string, std::string>, Totals>;

class SliceReader : public profile::SampleSink {
 public:
  void OnBegin(int64_t time_ns) override { begin_ns = time_ns; }
  void OnSample(const profile::Sample& sample) override { samples.push_back(sample); }

  // Returns the totals of a slice. If reading fails, stores the text of the error in `error`.
  SliceTotals Read(const std::vector<std::string>& paths, const profile::SliceOptions& options,
                   std::optional<profile::Weigh> total = std::nullopt) {
    part = profile::Profile();
    samples.clear();
    error.clear();
    auto slice = ParseSlice(options);
    EXPECT_TRUE(slice.ok()) << slice.error().message();
    std::vector<profile::RecordingInput> inputs;
    for (const std::string& path : paths) {
      inputs.push_back({ScopedFd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path});
    }
    const auto missing = ReadSlices(inputs, slice.value(), {.total = total}, part, *this);
    if (!missing) error = missing.error().message();
    return OfSamples();
  }

  SliceTotals OfSamples() const {
    SliceTotals totals;
    for (const profile::Sample& sample : samples) {
      Totals& sum = totals[{part.kinds[sample.kind].name, part.ThreadName(sample.thread),
                            StackText(sample.stack)}];
      sum.samples += sample.samples;
      sum.value += sample.value;
    }
    return totals;
  }

  std::string StackText(uint32_t node) const {
    std::string text;
    for (; node != profile::CallTree::kRoot; node = part.stacks.parent(node)) {
      text = part.FrameText(part.stacks.frame(node)) + (text.empty() ? "" : ";") + text;
    }
    return text;
  }

  profile::Profile part;
  std::vector<profile::Sample> samples;
  std::string error;
  int64_t begin_ns = 0;
};

}  // namespace jprof::test
