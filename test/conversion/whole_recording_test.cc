#include "conversion/whole_recording.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "conversion/all_formats.h"
#include "formats/convert.h"
#include "profile/chunk_builder.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMost = 1 << 20;
constexpr char kLines[] = "a.B.run_[j];a.B.work_[j] 1\n";

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Returns `bytes` as one gzip member.
std::string Gzipped(const std::string& bytes, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return TextOf(path);
}

class WholeRecordingTest : public ::testing::Test {
 protected:
  WholeRecordingTest() {
    test::ChunkBuilder chunk;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    test::AddSample(chunk, 2000);
    bytes_ = chunk.Build();
  }

  // Converts the recording; returns the output, or the error.
  std::string Convert(ScopedFd input, const std::string& output = "out.collapsed") {
    ConversionInputs inputs;
    auto recording = WholeRecording({std::move(input), "in"}, kMost, inputs.missing);
    if (!recording) return "error: " + recording.error().message();
    inputs.recordings.push_back(std::move(recording).value());
    const std::string path = folder_.File(output);
    const ScopedFd out(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const profile::Slice whole;
    OutputStream stream(out.get(), output);
    const auto report = jprof::Convert(inputs, whole, *OutputFormatOf(output)->row, stream);
    missing_ = report.ok() ? report.value().missing : "";
    return report.ok() ? TextOf(path) : "error: " + report.error().message();
  }
  ScopedFd FileOf(const std::string& bytes) const {
    test::WriteFile(folder_.File("in"), bytes);
    return ScopedFd(open(folder_.File("in").c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::string Packed(const std::string& bytes) const {
    return Gzipped(bytes, folder_.File("packed"));
  }

  test::TempFolder folder_;
  std::string bytes_;
  std::string missing_;
};

TEST_F(WholeRecordingTest, ACompressedRecordingIsReadLikeAPlainOne) {
  EXPECT_EQ(Convert(FileOf(bytes_)), kLines);
  EXPECT_EQ(Convert(FileOf(Packed(bytes_))), kLines);
  const size_t half = bytes_.size() / 2;
  EXPECT_EQ(Convert(FileOf(Packed(bytes_.substr(0, half)) + Packed(bytes_.substr(half)))), kLines)
      << "several members are one file";
  EXPECT_EQ(missing_, "");
}

TEST_F(WholeRecordingTest, ReadsACompressedRecordingUpToItsDamage) {
  const std::string twice = bytes_ + std::string(200'000, 'x');
  std::string cut = Packed(twice);
  cut.resize(cut.size() - 20);
  EXPECT_EQ(Convert(FileOf(cut)), kLines);
  EXPECT_THAT(missing_, HasSubstr("the compressed file, which is cut"));
  EXPECT_EQ(Convert(FileOf(Packed(bytes_) + "no member")), kLines);
  EXPECT_THAT(missing_, HasSubstr("which is damaged"));
  EXPECT_THAT(Convert(FileOf("\x1F\x8B")), HasSubstr("error: 'in' is compressed and cannot be"));
}

TEST_F(WholeRecordingTest, ADecompressionBombIsRefusedBeforeItIsUnpacked) {
  EXPECT_THAT(Convert(FileOf(Packed(bytes_ + std::string(50 * kMost, '\0')))),
              HasSubstr("error: 'in' unpacks to more than 1 MB"));
}

TEST_F(WholeRecordingTest, APipeIsReadLikeAFileAndWithinLimits) {
  const auto from_pipe = [this](const std::string& bytes, bool is_endless) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    std::signal(SIGPIPE, SIG_IGN);
    std::thread writer([&] {
      do {
        if (write(ends[1], bytes.data(), bytes.size()) < 0) break;
      } while (is_endless);
      close(ends[1]);
    });
    const std::string result = Convert(ScopedFd(ends[0]));
    writer.join();
    return result;
  };
  EXPECT_EQ(from_pipe(bytes_, false), kLines);
  EXPECT_EQ(from_pipe(Packed(bytes_), false), kLines);
  EXPECT_THAT(from_pipe("yes\n", true), HasSubstr("'in' is not a JFR recording"));
  EXPECT_THAT(from_pipe(bytes_, true), HasSubstr("'in' has more than 1 MB"));
  EXPECT_THAT(from_pipe("", false), HasSubstr("'in' is not a JFR recording"));
}

TEST_F(WholeRecordingTest, TheNameSaysWhetherTheOutputIsCompressed) {
  EXPECT_TRUE(OutputFormatOf("out.collapsed.gz")->is_gzip);
  EXPECT_FALSE(OutputFormatOf("out.collapsed")->is_gzip);
  EXPECT_TRUE(OutputFormatOf("out.pprof")->is_gzip) << "by its format";
  EXPECT_FALSE(OutputFormatOf("out.gz").has_value());
  EXPECT_TRUE(OutputFormatOf("OUT.HTML.GZ").has_value());
}

TEST_F(WholeRecordingTest, AFolderIsAnErrorOfOneLine) {
  EXPECT_THAT(Convert(ScopedFd(open("/tmp", O_RDONLY | O_CLOEXEC))), HasSubstr("is a folder"));
}

}  // namespace
}  // namespace jprof
