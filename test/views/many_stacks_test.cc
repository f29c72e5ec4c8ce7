// Tests recordings with more different stacks than readers keep. Tables must count every sample
// once. Their memory must not grow with the number of stacks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "conversion/all_formats.h"
#include "formats/convert_to.h"
#include "profile/sample_reader.h"
#include "profile/synthetic_recording.h"
#include "sigsafe/base/types.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using profile::CallTree;
using profile::Profile;
using profile::Sample;
using profile::StackUse;

using Counts = std::map<std::string, std::pair<uint64_t, uint64_t>>;  // self and total by method

// Counts the samples in a time range by method, with all stacks in memory.
class Census : public profile::SampleSink {
 public:
  Census(const Profile& profile, int64_t from_ns, int64_t to_ns)
      : profile_(profile), from_ns_(from_ns), to_ns_(to_ns) {}

  void OnBegin(int64_t time_ns) override { begin_ns_ = time_ns; }
  void OnSample(const Sample& sample) override {
    const int64_t passed_ns = sample.time_ns - begin_ns_;
    if (passed_ns <= from_ns_ || passed_ns > to_ns_) return;
    const auto method_of = [this](uint32_t node) {
      return profile_.frames()[profile_.stacks.frame(node)].method;
    };
    std::vector<uint32_t> methods;
    for (uint32_t node = sample.stack; node != CallTree::kRoot;
         node = profile_.stacks.parent(node)) {
      methods.push_back(method_of(node));
    }
    std::ranges::sort(methods);
    methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
    for (const uint32_t method : methods) ++by_method_[method].second;
    ++by_method_[method_of(sample.stack)].first;
  }

  Counts counts() const {
    Counts counts;
    for (const auto& [method, count] : by_method_) counts[profile_.MethodText(method)] = count;
    return counts;
  }

 private:
  const Profile& profile_;
  const int64_t from_ns_, to_ns_;
  int64_t begin_ns_ = 0;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> by_method_;
};

class Forgetting : public profile::SampleSink {
 public:
  void OnSample(const Sample&) override {}
  StackUse UseOfStacks() const override { return StackUse::kUntilForgotten; }
  void OnStacksForgotten(const Profile& profile) override {
    ++times;
    most = std::max(most, profile.stacks.size());
  }

  int times = 0;
  size_t most = 0;
};

class ManyStacksTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempFolder;
    path_ = folder_->File("walks.jfr");
    ASSERT_TRUE(test::MakeRecording(
        path_, {.samples = kSamples, .depth = 36, .threads = 8, .methods = 200, .walks = true}));
  }
  static void TearDownTestSuite() { delete folder_; }

  static bool Convert(const FormatRow& format, const profile::SliceOptions& part, int output) {
    const auto slice = profile::Slice::Parse(part);
    return slice.ok() && test::ConvertTo(path_, format, output, {}, slice.value()).ok();
  }

  // Returns the counts of the flat format, whose lines are "self share total share method".
  static Counts Flat(const profile::SliceOptions& part) {
    const std::string path = folder_->File("flat");
    const ScopedFd out(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    EXPECT_TRUE(Convert(*AllFormats().Named("flat"), part, out.get()));
    std::ifstream lines(path);
    Counts counts;
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      uint64_t self = 0, total = 0;
      std::string share, method;
      if (words >> self >> share >> total >> share >> method) counts[method] = {self, total};
    }
    return counts;
  }

  static Counts Truth(int64_t from_ns, int64_t to_ns) {
    Profile profile;
    Census census(profile, from_ns, to_ns);
    EXPECT_TRUE(ReadSamples(path_, profile::LineNumbers::kDrop, profile, census).ok());
    return census.counts();
  }

  // Returns the peak memory, in megabytes, of a process that only converts to `format`.
  static long PeakOf(const FormatRow& format) {
    const pid_t child = fork();
    if (child == 0) {
      const ScopedFd out(open("/dev/null", O_WRONLY | O_CLOEXEC));
      _exit(Convert(format, {}, out.get()) ? 0 : 1);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    EXPECT_EQ(status, 0) << format.name;
    return usage.ru_maxrss / 1024;
  }

  static constexpr int64_t kSamples = 110'000;
  static constexpr int64_t kStepNs = 100'000;
  static inline test::TempFolder* folder_ = nullptr;
  static inline std::string path_;
};

TEST_F(ManyStacksTest, ForgetsStacksWhenThereAreTooMany) {
  Profile profile;
  Forgetting sink;
  ASSERT_TRUE(ReadSamples(path_, profile::LineNumbers::kDrop, profile, sink).ok());
  EXPECT_GE(sink.times, 2);
  EXPECT_LE(sink.most, Profile::kManyStacks + 100);
}

TEST_F(ManyStacksTest, MethodsHaveTheSamplesOfForgottenStacks) {
  EXPECT_EQ(Flat({}), Truth(0, kSamples * kStepNs));
}

TEST_F(ManyStacksTest, SlicesHaveTheSamplesOfForgottenStacks) {
  // A sample stands for the interval before it. It counts in the window that contains the larger
  // part of this interval.
  const Counts truth = Truth(2 * kNanosPerSecond, 10 * kNanosPerSecond);
  EXPECT_EQ(Flat({.from = "2.00001s", .until = "10.00001s"}), truth);
}

TEST_F(ManyStacksTest, TablesNeedMemoryForTheirRowsOnly) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer has memory of its own";
  const long collapsed = PeakOf(*AllFormats().Named("collapsed"));
  for (const FormatRow& view : Views()) {
    if (view.name == "tree") continue;  // the tree has a row for every stack
    // The view `sampling` keeps all stacks, because the measured methods are known only at the end.
    if (view.name == "sampling") continue;
    EXPECT_LT(PeakOf(view), collapsed * 3 / 4) << view.name << ", of " << collapsed;
  }
}

}  // namespace
}  // namespace jprof
