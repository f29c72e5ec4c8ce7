#include "formats/convert.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/placeholders.h"
#include "base/scoped_fd.h"
#include "conversion/all_formats.h"
#include "formats/convert_to.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"
#include "profile/synthetic_recording.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMillis = 1'000'000;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class ConvertTest : public ::testing::Test {
 protected:
  // Writes a recording of two threads with `stacks`. The names of the frames of a stack are in the
  // order from the outermost to the innermost. Each wall sample counts as 3 samples.
  void Record(std::vector<std::vector<std::string>> stacks) {
    auto writer =
        std::move(JfrWriter::Open(input_, ChunkClock{1'700'000'000'000'000'000, 0})).value();
    settings_.WriteTo(*writer, 0);
    writer->Append(NativeLibrary{.time_ns = 0,
                                 .name = "/usr/lib/libc.so.6"});  // shows that a chunk was finished
    ConstantPools& pools = writer->pools();
    int64_t time_ns = 0;
    for (std::vector<std::string>& frames : stacks) {
      std::reverse(frames.begin(), frames.end());
      std::vector<FrameConstant> constants;
      for (const std::string& name : frames) {
        const uint32_t owner = pools.Class({.name = "a/B"});
        constants.push_back({pools.Method({owner, name, "()V"}), 0, 0, FrameType::kC1Compiled});
      }
      const uint32_t key = pools.NewStackTraceKey();
      pools.SetStackTrace(key, Truncated::kNo, constants);
      const uint32_t main = pools.Thread({1, 11, "os", "main", 1});
      const uint32_t other = pools.Thread({2, 12, "os", "other; one", 2});
      writer->Append(ExecutionSample{time_ns += kMillis, main, key});
      writer->Append(ExecutionSample{time_ns += kMillis, other, key});
      writer->Append(
          WallClockSample{time_ns += kMillis, main, key, ThreadState::kSleeping, 3, 60 * kMillis});
    }
    ASSERT_TRUE(writer->Seal(time_ns).ok());
  }
  // Converts `input` to the format that belongs to the extension of `output`.
  static Result<ConvertReport> Convert(const std::string& input, const std::string& output,
                                       const ConvertOptions& options = {}) {
    return ConvertFile(input, output, *AllFormats().OfPath(output), options);
  }
  std::string Collapsed(const ConvertOptions& options = {}) {
    const auto report = Convert(input_, output_, options);
    EXPECT_TRUE(report.ok()) << report.error().message();
    return TextOf(output_);
  }

  EventSettings settings_;
  test::TempFolder folder_;
  const std::string input_ = folder_.File("in.jfr");
  const std::string output_ = folder_.File("out.collapsed");
};

TEST_F(ConvertTest, CollapsedLinesAreSortedStacksWithTheirCounts) {
  Record({{"run", "work"}, {"run"}, {"run", "work"}});
  EXPECT_EQ(Collapsed(), "a.B.run_[1] 2\na.B.run_[1];a.B.work_[1] 4\n");
}

TEST_F(ConvertTest, AWallSampleCountsAllItsSamples) {
  Record({{"run"}});
  EXPECT_EQ(Collapsed({.event = "wall"}), "a.B.run_[1] 3\n");
}

TEST_F(ConvertTest, ThreadsAndSuffixesAreOptions) {
  Record({{"run"}});
  const std::string text =
      Collapsed({.format = {.threads = ThreadFrames::kFirst, .suffixes = TierSuffixes::kOmit}});
  EXPECT_EQ(text, "[main tid=11];a.B.run 1\n[other| one tid=12];a.B.run 1\n");
}

TEST_F(ConvertTest, ReplacesSeparatorsInsideAFrame) {
  Record({{"a;b\nc d"}});
  EXPECT_EQ(Collapsed({.format = {.suffixes = TierSuffixes::kOmit}}), "a.B.a|b c d 2\n");
}

TEST_F(ConvertTest, ReportsWhatWasConverted) {
  Record({{"run"}});
  const auto report = Convert(input_, output_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().event, "cpu");
  EXPECT_EQ(report.value().samples, 2u);
  EXPECT_EQ(report.value().missing, "");
}

TEST_F(ConvertTest, WritesTheFirstRequestedKindAndNamesTheOther) {
  settings_.Set(JfrType::kWallClockSample, "request", "1");
  settings_.Set(JfrType::kExecutionSample, "request", "2");
  Record({{"run"}});
  EXPECT_EQ(Collapsed(), "a.B.run_[1] 3\n");
  const auto stacks = Convert(input_, output_);
  ASSERT_TRUE(stacks.ok());
  EXPECT_EQ(stacks.value().counts, "3 wall samples");
  EXPECT_EQ(ChoiceText("o.collapsed", *AllFormats().Named("collapsed"), stacks.value()),
            "o.collapsed shows wall; also recorded: cpu");
  const auto page = Convert(input_, folder_.File("out.html"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page.value().event, "wall");
  EXPECT_EQ(page.value().counts, "3 wall, 2 cpu samples");
  EXPECT_EQ(ChoiceText("o.html", *AllFormats().Named("html"), page.value()),
            "o.html opens on wall; it also has cpu");
  const auto chosen = Convert(input_, output_, {.event = "cpu"});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(ChoiceText("o.collapsed", *AllFormats().Named("collapsed"), chosen.value()), "");
}

TEST_F(ConvertTest, OneEventSatisfiesItsWholeRequest) {
  settings_.Set(JfrType::kWallClockSample, "request", "1");
  settings_.Set(JfrType::kThreadPark, "request", "1");
  Record({{"run"}});
  const auto page = Convert(input_, folder_.File("out.html"));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value().notes, ElementsAre());
}

TEST_F(ConvertTest, ExplainsARequestedEventWithoutSamples) {
  settings_.Set(JfrType::kWallClockSample, "request", "1");
  settings_.Set(JfrType::kWallClockSample, "filter", "pool-<1>");
  Record({});
  const std::string page_path = folder_.File("out.html");
  const auto page = Convert(input_, page_path);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page.value().notes.size(), 1u);
  EXPECT_THAT(page.value().notes[0], HasSubstr("no samples of wall"));
  EXPECT_THAT(page.value().notes[0], HasSubstr("pool-<1>"));
  EXPECT_THAT(TextOf(page_path), HasSubstr("no samples of wall"));
  EXPECT_EQ(page.value().counts, "0 samples");
  const auto chosen = Convert(input_, output_, {.event = "wall"});
  ASSERT_FALSE(chosen.ok());
  EXPECT_THAT(chosen.error().message(), HasSubstr("pool-<1>"));
}

TEST_F(ConvertTest, PlaceholdersAreExplainedInThePage) {
  Record({{"[lost: no walk buffer]", "run"}});
  const std::string page_path = folder_.File("out.html");
  ASSERT_TRUE(Convert(input_, page_path).ok());
  const std::string page = TextOf(page_path);
  const PlaceholderRow* const row = FindPlaceholder("[lost: no walk buffer]");
  ASSERT_NE(row, nullptr);
  EXPECT_THAT(page, HasSubstr("\"name\":\"[lost: no walk buffer]\",\"text\":\"" +
                              std::string(row->explanation) + "\""));
  EXPECT_THAT(page, Not(HasSubstr("[break: stub]"))) << "only those that are there";
}

TEST_F(ConvertTest, RefusesAMissingEventAndNamesTheOthers) {
  Record({{"run"}});
  const auto report = Convert(input_, output_, {.event = "alloc"});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("no samples of 'alloc'; it has: cpu, wall"));
}

TEST_F(ConvertTest, AFailureLeavesTheOldOutputAndNothingElse) {
  std::ofstream(output_) << "old";
  std::ofstream(input_) << "no recording";
  EXPECT_FALSE(Convert(input_, output_).ok());
  EXPECT_EQ(TextOf(output_), "old");
  EXPECT_THAT(folder_.Names(), ElementsAre("in.jfr", "out.collapsed"));
}

TEST_F(ConvertTest, AFileThatCannotGrowLeavesTheOldOutputAndNothingElse) {
  ASSERT_TRUE(test::MakeRecording(input_, {.samples = 2000, .stacks = 1000}));
  std::ofstream(output_) << "old";
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit whole{};
  getrlimit(RLIMIT_FSIZE, &whole);
  const rlimit little{4096, whole.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const auto report = Convert(input_, output_);
  setrlimit(RLIMIT_FSIZE, &whole);
  std::signal(SIGXFSZ, before);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("cannot write " + output_ + ": File too large"));
  EXPECT_EQ(TextOf(output_), "old");
  EXPECT_THAT(folder_.Names(), ElementsAre("in.jfr", "out.collapsed"));
}

TEST_F(ConvertTest, ReportsAFullDevice) {
  Record({{"run"}});
  const ScopedFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  for (const FormatRow& format : AllFormats().rows()) {
    const auto report = test::ConvertTo(input_, format, full.get());
    ASSERT_FALSE(report.ok());
    EXPECT_THAT(report.error().message(), HasSubstr("No space left on device"));
  }
}

TEST_F(ConvertTest, RefusesToReplaceADevice) {
  Record({{"run"}});
  ASSERT_EQ(symlink("/dev/null", folder_.File("null.html").c_str()), 0);
  const auto report = Convert(input_, folder_.File("null.html"));
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("name a regular file"));
}

TEST_F(ConvertTest, WritesThroughASymbolicLink) {
  Record({{"run"}});
  std::ofstream(folder_.File("real.txt")) << "old";
  ASSERT_EQ(symlink("real.txt", folder_.File("link.txt").c_str()), 0);
  ASSERT_TRUE(Convert(input_, folder_.File("link.txt")).ok());
  EXPECT_THAT(TextOf(folder_.File("real.txt")), HasSubstr("a.B.run"));
}

TEST_F(ConvertTest, NoNameBreaksOutOfThePage) {
  const std::string evil =
      "</script><script>alert(1)</script><!--\"\\ \xF0\x9F\x98\x80 \xE2\x80\xA8";
  Record({{evil, "run"}});
  const std::string page_path = folder_.File("out.html");
  ASSERT_TRUE(Convert(input_, page_path, {.title = evil}).ok());
  const std::string page = TextOf(page_path);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(page, HasSubstr("\xF0\x9F\x98\x80"));
}

TEST_F(ConvertTest, StacksOfAnyDepthAreConverted) {
  ASSERT_TRUE(test::MakeRecording(input_, {.samples = 3, .stacks = 3, .depth = 20'000}));
  EXPECT_THAT(Collapsed(), HasSubstr(" 1\n"));
  EXPECT_TRUE(Convert(input_, folder_.File("deep.html")).ok());
}

TEST_F(ConvertTest, ARecordingWithoutSamplesBecomesAnEmptyOutput) {
  Record({});
  EXPECT_EQ(Collapsed(), "");
  const auto page = Convert(input_, folder_.File("empty.html"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page.value().event, "");
}

}  // namespace
}  // namespace jprof
