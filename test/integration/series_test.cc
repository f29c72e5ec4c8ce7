// loop=: a recording goes into a series of files.
#include <filesystem>
#include <map>
#include <numeric>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class SeriesTest : public JvmTest {};
JPROF_ON_EVERY_JDK(SeriesTest);

TEST_P(SeriesTest, FilesAreCompleteAndTogetherHoldEverything) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,loop=1s,file=" + Path("part-%n.jfr"), {"BusyLoop", "2", "1800"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<std::string> files = FilesInFolder();
  ASSERT_GE(files.size(), 2u);
  int64_t samples = 0;
  for (size_t i = 1; i <= files.size(); ++i) {
    const std::string name = "part-" + std::to_string(i) + ".jfr";
    const Recording recording = ReadSound(name);
    samples += recording.Count(kExecutionSample);
    EXPECT_GE(recording.Count("jdk.InitialSystemProperty"), 5) << name;
    EXPECT_GE(recording.Count("jdk.NativeLibrary"), 5) << name;
    EXPECT_THAT(recording.OfType("jdk.ActiveRecording").at(0).Text("destination"), HasSubstr(name));
  }
  EXPECT_EQ(samples, AgentLog(run.err).LastCount("cpu")) << run.err;
  EXPECT_THAT(AgentLog(run.err).lines().back(), HasSubstr("part-" + std::to_string(files.size())));
}

TEST_P(SeriesTest, RemovesFilesThatAreTooOld) {
  const ProcessResult run = RunProfiled(
      "start,cpu=5ms,loop=1s,maxage=1s,file=" + Path("part-%n.jfr"), {"BusyLoop", "1", "4000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<std::string> files = FilesInFolder();
  EXPECT_THAT(files, Not(Contains("part-1.jfr")));
  ASSERT_FALSE(files.empty());
  for (const std::string& name : files) ReadSound(name);
}

TEST_P(SeriesTest, ASecondSeriesContinuesTheNumbers) {
  const std::string options = "start,cpu=5ms,loop=1s,file=" + Path("part-%n.jfr");
  ASSERT_EQ(RunProfiled(options, {"BusyLoop", "1", "1500"}).exit_code, 0);
  const std::vector<std::string> first = FilesInFolder();
  ASSERT_GE(first.size(), 2u);
  std::map<std::string, std::filesystem::file_time_type> times;
  for (const std::string& name : first) times[name] = std::filesystem::last_write_time(Path(name));
  // The test removes the first file, as a limit on the number of files would.
  std::filesystem::remove(Path("part-1.jfr"));
  const ProcessResult run = RunProfiled(options, {"BusyLoop", "1", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  for (size_t i = 1; i < first.size(); ++i) {
    EXPECT_EQ(std::filesystem::last_write_time(Path(first[i])), times[first[i]]) << first[i];
  }
  EXPECT_THAT(FilesInFolder(), Not(Contains("part-1.jfr")));
  ReadSound("part-" + std::to_string(first.size() + 1) + ".jfr");
}

TEST_P(SeriesTest, TheLimitOfBytesIncludesTheOpenFile) {
  constexpr uint64_t kLimit = 1 << 20;
  const ProcessResult run = RunProfiled(
      "start,cpu=100us,loop=1h,maxsize=1m,file=" + Path("part-%n.jfr"), {"BusyLoop", "4", "3000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<std::string> files = FilesInFolder();
  uint64_t bytes = 0;
  for (const std::string& name : files) bytes += std::filesystem::file_size(Path(name));
  // New files start at least one second apart.
  EXPECT_LT(bytes, 2 * kLimit);
  EXPECT_THAT(files, Not(testing::ElementsAre("part-1.jfr"))) << run.err;
  for (const std::string& name : files) ReadSound(name);
}

TEST_P(SeriesTest, RefusesASeriesOfConvertedFiles) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,loop=1s,file=" + Path("part-%n.html"), {"Hello", "7"});
  EXPECT_EQ(run.exit_code, 7) << run.Describe();
  EXPECT_THAT(run.err, HasSubstr("a loop writes .jfr files"));
}

}  // namespace
}  // namespace jprof::test
