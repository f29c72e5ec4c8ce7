// jprof and the agent write only to files that they may write to, under the names that they are
// given.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr double kMoment = 0.2e9;  // CPU time in ns
constexpr uid_t kOther = 54321;    // uid of no user

// Runs jprof as root on symbolic links that another user has put into a folder that all users can
// write.
class CliPlantedLinkTest : public CliServerTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make what belongs to another user";
    CliServerTest::SetUp();
    ASSERT_EQ(mkdir(Path("shared").c_str(), 0755), 0);
    ASSERT_EQ(chmod(Path("shared").c_str(), 01777), 0);
    std::ofstream(Path("victim")) << "precious";
  }

  void TearDown() override {
    if (geteuid() != 0) return;
    EXPECT_EQ(Content("victim"), "precious");
  }

  void Plant(const std::string& name) const {
    ASSERT_EQ(symlink(Path("victim").c_str(), Path(name).c_str()), 0);
    ASSERT_EQ(lchown(Path(name).c_str(), kOther, kOther), 0);
  }
};
JPROF_ON_EVERY_JDK(CliPlantedLinkTest);

TEST_P(CliPlantedLinkTest, TheAgentNamesThePlantedLinkAndRecordsNothing) {
  Plant("shared/x.jfr");
  Plant("shared/x.html");
  const std::string side = ".y.jfr." + std::to_string(pid()) + ".open";
  Plant("shared/" + side);
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "shared/x.jfr"}),
              FailedWith(kRefused, "'" + Path("shared/x.jfr") + "' is a link"));
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "shared/x.html"}),
              FailedWith(kRefused, "'" + Path("shared/x.html") + "' is a link"));
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "shared/y.jfr"}), FailedWith(kRefused, side));
  EXPECT_FALSE(Attach(pid(), "version,file=" + Path("shared/x.jfr")).Accepted());
  EXPECT_FALSE(Attach(pid(), "status,log=" + Path("shared/x.jfr")).Accepted());
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("state     idle"));
}

TEST_P(CliPlantedLinkTest, JprofNamesThePlantedLink) {
  Plant("shared/x.jfr");
  Plant("shared/x.html");
  std::filesystem::create_directory(Path("private"));
  ASSERT_EQ(symlink(Path("private").c_str(), Path("shared/logs").c_str()), 0);
  ASSERT_EQ(lchown(Path("shared/logs").c_str(), kOther, kOther), 0);
  for (const std::string name : {"shared/x.jfr", "shared/x.html"}) {
    EXPECT_THAT(JprofOn(pid(), {"record", "-d", "100ms", "-o", name}),
                FailedWith(kFile, "'" + Path(name) + "' is a link"));
  }
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "100ms", "-o", "own.jfr"}).exit_code, 0);
  EXPECT_THAT(Jprof({"convert", "own.jfr", "shared/x.html"}),
              FailedWith(kFile, "'shared/x.html' is a link"));
  EXPECT_THAT(Jprof({"convert", "own.jfr", "shared/logs/x.html"}),
              FailedWith(kFile, "'shared/logs' is a link"));
  EXPECT_THAT(Jprof({"repair", "shared/x.jfr"}), FailedWith(kFile, "'shared/x.jfr' is a link"));
}

class CliInputTest : public CliServerTest {};
JPROF_ON_NEWEST_JDK(CliInputTest);

TEST_P(CliInputTest, DoesNotWaitForAFifo) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(Jprof({"convert", "fifo", "out.html"}), FailedWith(kFile, "is not a regular file"));
  EXPECT_THAT(Jprof({"repair", "fifo"}), FailedWith(kFile, "'fifo' is a device or FIFO"));
  EXPECT_THAT(JprofOn(pid(), {"status", "--library", Path("fifo")}), FailedWith(9, "fifo"));
}

TEST_P(CliInputTest, EscapesForeignNamesOnTheTerminal) {
  ProcessSpec spec = Java({"Server", "1", "0"});
  spec.argv.insert(
      spec.argv.begin(),
      {"/bin/bash", "-c", "exec -a $'\\e]0;owned\\a\\xc2\\x9b31m\\nroot' \"$@\"", "bash"});
  auto hostile = ServerProcess::Start(spec);
  ASSERT_TRUE(hostile.ok()) << hostile.error().message();
  const ProcessResult list = Jprof({"list"});
  EXPECT_THAT(list, Printed("\\x1b]0;owned\\x07\\x9b31m\\x0aroot (Server)\n"));
  EXPECT_EQ(list.out.find('\x1b'), std::string::npos);
  const ProcessResult none = Jprof({"status", "no.such.Main"});
  EXPECT_THAT(none, FailedWith(3, "\\x1b]0;owned"));
  EXPECT_EQ(none.err.find('\x1b'), std::string::npos);
  // The agent escapes the name in its log, which is the standard error of the JVM.
  EXPECT_FALSE(Attach(pid(), "start,file=/none\u202E/x.jfr").Accepted());
  EXPECT_EQ(AgentLog(server().Quit().err).LinesWith("/none\\u202e"), 1);
}

class CliStreamTest : public CliServerTest {
 protected:
  // Returns what a reader gets from a FIFO that jprof writes to.
  std::string Through(const std::string& fifo, const std::vector<std::string>& arguments) {
    EXPECT_EQ(mkfifo(Path(fifo).c_str(), 0600), 0);
    ProcessSpec spec = JprofSpec(arguments);
    spec.working_directory = folder();
    auto jprof = RunningProcess::Start(spec);
    EXPECT_TRUE(jprof.ok());
    const std::string content = Content(fifo);
    EXPECT_EQ(jprof.value().Wait().exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_fifo(Path(fifo)));
    return content;
  }
  std::string Pid() const { return std::to_string(pid()); }
};
JPROF_ON_NEWEST_JDK(CliStreamTest);

TEST_P(CliStreamTest, WritesTheFormatOfTheExtensionToAFifo) {
  const std::vector<std::string> record = {"record", "-d", "200ms", "-o"};
  const auto through = [&](const std::string& fifo) {
    std::vector<std::string> arguments = record;
    arguments.insert(arguments.end(), {fifo, Pid()});
    return Through(fifo, arguments);
  };
  EXPECT_THAT(through("f.collapsed"), HasSubstr("Work.spin"));
  EXPECT_THAT(through("F.HTML"), HasSubstr("</html>"));
  const std::string recording = through("f");
  EXPECT_EQ(recording.substr(0, 4), std::string("FLR\0", 4));
  std::ofstream(Path("f.jfr")) << recording;
  ReadSound("f.jfr");
  EXPECT_THAT(Through("c", {"convert", "f.jfr", "c"}), HasSubstr("Work.spin"));
}

TEST_P(CliStreamTest, WritesToStandardOutput) {
  const ProcessResult recorded = JprofOn(pid(), {"record", "-d", "200ms", "-o", "/dev/stdout"});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.Describe();
  EXPECT_EQ(recorded.out.substr(0, 4), std::string("FLR\0", 4));
  EXPECT_THAT(recorded.err, HasSubstr("stopped: "));
  std::ofstream(Path("f.jfr")) << recorded.out;
  ReadSound("f.jfr");
  EXPECT_THAT(Jprof({"convert", "f.jfr", "/dev/stdout"}), Printed("Work.spin"));
}

TEST_P(CliStreamTest, ADeviceStaysADevice) {
  if (mknod(Path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) {
    GTEST_SKIP() << "not permitted to make a device";
  }
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "100ms", "-o", "null"}).exit_code, 0);
  EXPECT_EQ(std::filesystem::status(Path("null")).type(), std::filesystem::file_type::character);
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "null"}), FailedWith(kRefused, "null"));
}

class CliNameTest : public CliServerTest {};
JPROF_ON_NEWEST_JDK(CliNameTest);

TEST_P(CliNameTest, RefusesNamesWithoutAFormatAndIgnoresCase) {
  for (const std::string name : {"x.svg", "x.folded", "x-collapsed", "x."}) {
    EXPECT_THAT(JprofOn(pid(), {"record", "-o", name}),
                FailedWith(kUsage, ".jfr, .html, .collapsed, .txt, .json"));
    EXPECT_THAT(JprofOn(pid(), {"start", "-o", name}),
                FailedWith(kRefused, ".jfr, .html, .collapsed or .txt"));
  }
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "a.html.gz"}),
              FailedWith(kRefused, ".jfr, .html, .collapsed or .txt"));
  EXPECT_THAT(FilesInFolder(), testing::IsEmpty());
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "100ms", "-o", "A.HTML"}).exit_code, 0);
  EXPECT_THAT(Content("A.HTML"), HasSubstr("</html>"));
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "100ms", "-o", "B.JFR"}).exit_code, 0);
  ReadSound("B.JFR");
}

TEST_P(CliNameTest, ReportsUnwritableFilesBeforeTheRecording) {
  ASSERT_EQ(symlink("missing", Path("dangling.jfr").c_str()), 0);
  ASSERT_EQ(mkdir(Path("d.jfr").c_str(), 0755), 0);
  ASSERT_EQ(mkdir(Path("d.html").c_str(), 0755), 0);
  EXPECT_THAT(JprofOn(pid(), {"record", "-o", "dangling.jfr"}), FailedWith(kFile, "is a link to"));
  for (const std::string name : {"d.jfr", "d.html"}) {
    EXPECT_THAT(JprofOn(pid(), {"record", "-o", name}), FailedWith(kFile, "is a folder"));
  }
  EXPECT_FALSE(std::filesystem::exists(Path("missing")));
  EXPECT_THAT(AgentLog(server().Quit().err).lines(), testing::IsEmpty());
}

TEST_P(CliNameTest, ExpandsPatternsAndReplacesNoFile) {
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "100ms", "-o", "r-%p-%n.jfr"}).exit_code, 0);
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("r-" + std::to_string(pid()) + "-1.jfr"));
  EXPECT_THAT(JprofOn(pid(), {"record", "-o", "%q.jfr"}), FailedWith(kUsage, "unknown '%q'"));
  constexpr size_t kTimes = 3;
  for (size_t i = 0; i < kTimes; ++i) {
    EXPECT_THAT(JprofOn(pid(), {"record", "-d", "100ms"}),
                Printed("profile-" + std::to_string(pid())));
  }
  EXPECT_EQ(FilesInFolder().size(), 1 + kTimes);
}

// Fixture with a small disk that fills up during the recording.
class CliFullDiskTest : public CliServerTest {
 protected:
  void SetUp() override {
    CliServerTest::SetUp();
    ASSERT_EQ(mkdir(Path("disk").c_str(), 0755), 0);
    if (mount("jprof-test", Path("disk").c_str(), "tmpfs", 0, "size=1m") != 0) {
      GTEST_SKIP() << "not permitted to mount a small disk";
    }
  }
  void TearDown() override { umount2(Path("disk").c_str(), MNT_DETACH); }

  void LeaveFree(uint64_t bytes) const {
    struct statvfs disk;
    ASSERT_EQ(statvfs(Path("disk").c_str(), &disk), 0);
    const uint64_t free = disk.f_bavail * disk.f_frsize;
    std::ofstream(Path("disk/full"), std::ios::app) << std::string(free - bytes, 'x');
  }
};
JPROF_ON_EVERY_JDK(CliFullDiskTest);

TEST_P(CliFullDiskTest, IsReportedBeforeTheRecordingAndKeepsTheJfr) {
  LeaveFree(8192);
  for (const std::string name : {"disk/out.html", "disk/out.jfr"}) {
    const ProcessResult refused = JprofOn(pid(), {"record", "-d", "1h", "-o", name});
    EXPECT_FALSE(refused.exit_code == 0 || refused.timed_out);
    EXPECT_THAT(refused.err, HasSubstr("No space left on device"));
  }
  std::filesystem::remove(Path("disk/full"));
  ProcessSpec spec =
      JprofSpec({"record", "-d", "1h", "-o", "disk/out.html", std::to_string(pid())});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok());
  AwaitRecording(pid());
  server().AwaitCpu(kMoment);
  LeaveFree(4096);
  record.value().SendSignal(SIGINT);
  const ProcessResult failed = record.value().Wait();
  EXPECT_THAT(failed, FailedWith(kFile, "the recording is kept in /tmp/"));
  const std::string kept = failed.err.substr(failed.err.find("/tmp/.jprof"));
  std::filesystem::rename(kept.substr(0, kept.find('\n')), Path("kept.jfr"));
  EXPECT_FALSE(SamplesOf(ReadSound("kept.jfr"), kExecutionSample, "busy-0").empty());
}

}  // namespace
}  // namespace jprof::test
