#include "cli/convert/conversion.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/scoped_fd.h"
#include "cli/convert/convert_command.h"
#include "conversion/gzip.h"
#include "profile/chunk_builder.h"
#include "profile/synthetic_recording.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using test::Bytes;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kOtherUser = 12345;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Outcome<ConvertReport> ConvertFile(const std::string& input, const std::string& output,
                                   const std::vector<std::string>& sources = {},
                                   const ConvertOptions& options = {}) {
  const auto recordings = OpenRecordings({input});
  if (!recordings) return recordings.error();
  const std::optional<OutputFormat> format = OutputFormatOf(output);
  const profile::Slice whole;
  return ConvertToFile({recordings.value(), whole, *format, options, sources}, output);
}

// Makes a small recording that becomes 2 GB of collapsed stacks: it has many events with the same
// deep stack and different classes, and each line repeats the stack.
std::string LittleRecordingOfMuch() {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Type(41, "jdk.ObjectAllocationSample", "jdk.jfr.Event",
             {{"stackTrace", 32, test::kInPool}, {"objectClass", 35, test::kInPool}});
  chunk.Constant(36, 9, [](Bytes& out) { out.Utf8(std::string(8000, 'x')); });
  chunk.Constant(34, 9, [](Bytes& out) {
    for (const uint64_t key : {1, 9, 4}) out.Long(key);
  });
  chunk.Constant(32, 9, [](Bytes& out) {
    constexpr uint64_t kFrames = 5000;
    out.Byte(0);
    out.Int(kFrames);
    for (uint64_t i = 0; i < kFrames; ++i) {
      for (const uint64_t value : {9, 1, 1}) out.Long(value);
    }
  });
  for (uint64_t i = 1; i <= 50; ++i) {
    chunk.Constant(36, 100 + i, [i](Bytes& out) { out.Utf8("demo/C" + std::to_string(i)); });
    chunk.Constant(35, 100 + i, [i](Bytes& out) { out.Long(100 + i); });
    chunk.Event(41, [i](Bytes& out) {
      out.Long(9);
      out.Long(100 + i);
    });
  }
  return chunk.Build();
}

class ConversionTest : public testing::Test {
 protected:
  void SetUp() override {
    test::ChunkBuilder chunk;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    test::AddSample(chunk, 2000);
    test::WriteFile(input_, chunk.Build());
  }

  test::TempFolder folder_;
  const std::string input_ = folder_.File("in.jfr");
  const std::string output_ = folder_.File("out.collapsed");
};

TEST_F(ConversionTest, MakesTheReportAndTheOutput) {
  const Outcome<ConvertReport> report = ConvertFile(input_, output_);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report.value().samples, 1u);
  EXPECT_EQ(report.value().event, "cpu");
  EXPECT_EQ(report.value().counts, "1 cpu samples");
  EXPECT_EQ(report.value().others, "");
  EXPECT_EQ(report.value().missing, "");
  EXPECT_EQ(report.value().notes.size(), 0u);
  EXPECT_EQ(TextOf(output_), "a.B.run_[j];a.B.work_[j] 1\n");
  ASSERT_TRUE(ConvertFile(input_, folder_.File("out.html")).ok());
  EXPECT_THAT(TextOf(folder_.File("out.html")), HasSubstr("\"title\":\"in.jfr\""));
}

// The recording is read with the rights of its owner, although it is in a folder of root.
TEST_F(ConversionTest, RootConvertsWhatAnotherUserWrote) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  ASSERT_EQ(chown(input_.c_str(), kOtherUser, kOtherUser), 0);
  const Outcome<ConvertReport> report = ConvertFile(input_, output_);
  ASSERT_TRUE(report.ok()) << report.error().message();
  struct stat output;
  ASSERT_EQ(stat(output_.c_str(), &output), 0);
  EXPECT_EQ(output.st_uid, 0u);
  EXPECT_EQ(TextOf(output_), "a.B.run_[j];a.B.work_[j] 1\n");
}

// The process that reads the recording runs as the owner of the recording or as an unprivileged
// user. Neither may enter the folder of the sources.
TEST_F(ConversionTest, SourcesAreReadWithTheRightsOfTheCaller) {
  const std::string sources = folder_.File("sources");
  ASSERT_EQ(mkdir(sources.c_str(), 0700), 0);
  ASSERT_EQ(mkdir((sources + "/a").c_str(), 0700), 0);
  test::WriteFile(sources + "/a/B.java", "class B of the caller");
  ASSERT_EQ(chmod((sources + "/a/B.java").c_str(), 0600), 0);
  for (const uid_t owner : {geteuid(), kOtherUser}) {
    if (owner != geteuid() && chown(input_.c_str(), owner, owner) != 0) continue;
    for (const std::string& output : {folder_.File("out.html"), folder_.File("out.json")}) {
      const Outcome<ConvertReport> report = ConvertFile(input_, output, {sources});
      ASSERT_TRUE(report.ok()) << report.error().message();
      EXPECT_THAT(TextOf(output), HasSubstr("class B of the caller")) << owner << ' ' << output;
    }
  }
}

TEST_F(ConversionTest, ReportsAPlaceWithoutSources) {
  const Outcome<ConvertReport> report =
      ConvertFile(input_, folder_.File("out.html"), {folder_.File("none")});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), FailureKind::kFile);
  EXPECT_THAT(report.error().message(),
              AllOf(testing::StartsWith("--source: "), HasSubstr("No such file")));
}

TEST_F(ConversionTest, AFailureIsOneLineAndLeavesTheOldOutput) {
  test::WriteFile(input_, "FLR but no recording");
  test::WriteFile(output_, "old");
  const Outcome<ConvertReport> report = ConvertFile(input_, output_);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), FailureKind::kFile);
  EXPECT_EQ(report.error().message(),
            "'" + input_ + "' is not a JFR recording: it does not begin with \"FLR\".");
  EXPECT_EQ(TextOf(output_), "old");
  EXPECT_EQ(folder_.Names().size(), 2u);
  EXPECT_THAT(ConvertFile(folder_.File("none"), output_).error().message(),
              HasSubstr("No such file"));
  const std::string unknown = folder_.File("out.svg");
  const char* const words[] = {"jprof", "convert", input_.c_str(), unknown.c_str()};
  EXPECT_EQ(RunConvert(ParseCommandLine(4, words).value()).error().kind(), FailureKind::kUsage);
}

TEST_F(ConversionTest, ARecordingIsNeverReplacedByAResult) {
  const std::string packed = folder_.File("b.jfr.gz");
  const std::string unnamed = folder_.File("recording");
  const std::string link = folder_.File("link.collapsed");
  std::filesystem::copy_file(input_, packed);
  std::filesystem::copy_file(input_, unnamed);
  ASSERT_EQ(symlink(unnamed.c_str(), link.c_str()), 0);
  const std::string before = TextOf(input_);
  for (const auto& [input, output] :
       {std::pair(input_, packed), std::pair(unnamed, unnamed), std::pair(unnamed, link)}) {
    const char* const words[] = {"jprof",     "convert",     "--format",
                                 "collapsed", input.c_str(), output.c_str()};
    const Outcome<std::string> converted = RunConvert(ParseCommandLine(6, words).value());
    ASSERT_FALSE(converted.ok()) << output;
    EXPECT_EQ(converted.error().kind(), FailureKind::kUsage);
    EXPECT_THAT(converted.error().message(), HasSubstr("' is a recording, and the name of"));
    EXPECT_EQ(TextOf(output), before);
  }
}

// The input is a pipe that never ends.
TEST_F(ConversionTest, AnInterruptLeavesNoFile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const profile::RecordingInput from{ScopedFd(ends[0]), "a pipe"};
  const ScopedFd to(ends[1]);
  test::WriteFile(output_, "old");
  const pid_t child = fork();
  if (child == 0) {
    const Interrupt interrupt;
    const profile::Slice whole;
    ConversionTask task{{&from, 1}, whole, *OutputFormatOf(output_)};
    task.interrupt = &interrupt;
    const Outcome<ConvertReport> report = ConvertToFile(task, output_);
    const bool is_said =
        !report && report.error().message().find("interrupted") != std::string::npos;
    _exit(is_said ? 7 : 1);
  }
  while (folder_.Names().size() < 3) usleep(1000);
  kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(folder_.Names().size(), 2u);
  EXPECT_EQ(TextOf(output_), "old");
}

TEST_F(ConversionTest, EscapesControlCharactersOfNamesInARecording) {
  const Outcome<ConvertReport> plain = ConvertFile(input_, output_);
  ASSERT_TRUE(plain.ok());
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Type(40, "demo.\x1B]0;evil\x07\n\xC2\x9B", "jdk.jfr.Event",
             {{"stackTrace", 32, test::kInPool}});
  chunk.Event(40, [](Bytes& out) { out.Long(1); });
  test::WriteFile(input_, chunk.Build());
  const Outcome<ConvertReport> report = ConvertFile(input_, output_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().event, R"(demo.\x1b]0;evil\x07\x0a\x9b)");
  const Outcome<ConvertReport> refused = ConvertFile(input_, output_, {}, {.event = "none"});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr(R"(it has: demo.\x1b]0;evil)"));
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("\x1B")));
}

TEST_F(ConversionTest, ASmallRecordingDoesNotFillTheDisk) {
  test::WriteFile(input_, LittleRecordingOfMuch());
  const Outcome<ConvertReport> report = ConvertFile(input_, output_);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("cannot write "));
  EXPECT_THAT(report.error().message(), HasSubstr("File too large"));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(ConversionTest, ACompressedOutputUnpacksToThePlainOne) {
  ASSERT_TRUE(ConvertFile(input_, output_).ok());
  ASSERT_TRUE(ConvertFile(input_, output_ + ".gz").ok());
  EXPECT_LT(TextOf(output_ + ".gz").size(), 100u);
  const ScopedFd packed(open((output_ + ".gz").c_str(), O_RDONLY | O_CLOEXEC));
  const ScopedFd unpacked(
      open(folder_.File("unpacked").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const auto report = Gunzip("", packed.get(), unpacked.get(), "packed", 1000);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report.value().missing, "");
  EXPECT_EQ(TextOf(folder_.File("unpacked")), TextOf(output_));
}

// The error is the one that the compressing process got when it wrote, and not the broken pipe
// between the two processes. This error is reported whether or not the compressing process had read
// its whole input when it failed.
TEST_F(ConversionTest, ReportsWhyACompressedOutputCannotBeWritten) {
  const ScopedFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  for (const std::string& recording : {TextOf(input_), LittleRecordingOfMuch()}) {
    test::WriteFile(input_, recording);
    const auto recordings = OpenRecordings({input_});
    ASSERT_TRUE(recordings.ok());
    const profile::Slice whole;
    const Outcome<ConvertReport> report = ConvertToStream(
        {recordings.value(), whole, *OutputFormatOf("a.txt.gz")}, {full.get(), "/dev/full"});
    ASSERT_FALSE(report.ok());
    EXPECT_THAT(report.error().message(),
                AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
  }
}

TEST_F(ConversionTest, ARecordingThatCannotBeReadLeavesNoCompressedOutput) {
  test::WriteFile(input_, "FLR but no recording");
  const Outcome<ConvertReport> report = ConvertFile(input_, output_ + ".gz");
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("is not a JFR recording"));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

// Converts `part` of a recording to a page in a process limited to `megabytes` of address space.
// Returns the error, or an empty text if there is none.
std::string ErrorOfPage(const std::string& input, const profile::Slice& part, rlim_t megabytes) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {megabytes << 20, megabytes << 20};
    setrlimit(RLIMIT_AS, &limit);
    const auto recordings = OpenRecordings({input});
    const auto report = ConvertToMemory({recordings.value(), part, *OutputFormatOf("a.html")});
    const std::string error = report ? "" : report.error().message();
    _exit(write(ends[1], error.data(), error.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string error(1000, '\0');
  error.resize(static_cast<size_t>(std::max<ssize_t>(read(ends[0], error.data(), 1000), 0)));
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return error;
}

TEST(ConversionSizeTest, ForATooLargeRecordingSuggestsAPartThatFits) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer has memory of its own";
  const test::TempFolder folder;
  const std::string path = folder.File("walks.jfr");
  ASSERT_TRUE(test::MakeRecording(path, {.samples = 100'000, .methods = 200, .walks = true}));
  constexpr rlim_t kMegabytes = 200;
  const std::string error = ErrorOfPage(path, {}, kMegabytes);
  EXPECT_THAT(error, HasSubstr("it takes more than 200 MB of memory: choose a part of it"));
  const size_t at = error.find("--until ");
  ASSERT_NE(at, std::string::npos) << error;
  const std::string until = error.substr(at + 8, error.find(',', at) - at - 8);
  const auto part = profile::Slice::Parse({.until = until});
  ASSERT_TRUE(part.ok()) << until;
  EXPECT_EQ(ErrorOfPage(path, part.value(), kMegabytes), "");
}

}  // namespace
}  // namespace jprof
