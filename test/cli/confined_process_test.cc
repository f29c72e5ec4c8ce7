#include "cli/convert/confined_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/scoped_fd.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kUser = 12345;
constexpr gid_t kGroup = 23456;

std::string OwnStatus() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/status").rdbuf();
  return text.str();
}

class ConfinedProcessTest : public testing::Test {
 protected:
  Confinement Usual() const {
    return {.uid = geteuid(),
            .gid = getegid(),
            .inputs = {input_.get()},
            .output = output_.get(),
            .memory_bytes = 256 << 20,
            .cpu_seconds = 60,
            .output_bytes = 1 << 20};
  }
  static std::string Run(const Confinement& confinement, const std::function<std::string()>& work) {
    const Result<std::string> answer = RunConfined(confinement, work);
    return answer.ok() ? answer.value() : "error: " + answer.error().message();
  }

  test::TempFolder folder_;
  const ScopedFd input_{open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)};
  const ScopedFd output_{open(folder_.File("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
};

TEST_F(ConfinedProcessTest, ReturnsTheAnswerOfTheWork) {
  EXPECT_EQ(Run(Usual(), [] { return std::string("two\nlines"); }), "two\nlines");
}

TEST_F(ConfinedProcessTest, AWriteToAClosedOutputFailsWithoutASignal) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const ScopedFd output(ends[1]);
  close(ends[0]);
  Confinement confinement = Usual();
  confinement.output = output.get();
  const auto write_byte = [] {
    return std::string(write(kConfinedOutput, "x", 1) < 0 && errno == EPIPE ? "EPIPE" : "no error");
  };
  EXPECT_EQ(Run(confinement, write_byte), "EPIPE");
}

TEST_F(ConfinedProcessTest, UnderRootTheChildHasOnlyTheRightsOfTheOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  Confinement confinement = Usual();
  confinement.uid = kUser;
  confinement.gid = kGroup;
  std::vector<gid_t> before(static_cast<size_t>(getgroups(0, nullptr)));
  ASSERT_GE(getgroups(static_cast<int>(before.size()), before.data()), 0);
  const gid_t groups[] = {0, 34567};
  ASSERT_EQ(setgroups(2, groups), 0);
  const std::string status = Run(confinement, OwnStatus);
  ASSERT_EQ(setgroups(before.size(), before.data()), 0);
  EXPECT_THAT(status, HasSubstr("Uid:\t12345\t12345\t12345\t12345\n"));
  EXPECT_THAT(status, HasSubstr("Gid:\t23456\t23456\t23456\t23456\n"));
  EXPECT_THAT(status, ContainsRegex("Groups:[\t ]*\n"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(status, HasSubstr("CapPrm:\t0000000000000000\n"));
  EXPECT_THAT(status, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_EQ(geteuid(), 0u);
}

TEST_F(ConfinedProcessTest, ForRootsOwnFileTheChildHasNoRightsOfRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  EXPECT_THAT(Run(Usual(), OwnStatus), ContainsRegex("Uid:\t65534\t65534\t65534\t65534\n"));
  EXPECT_THAT(Run(Usual(), OwnStatus), ContainsRegex("Gid:\t65534\t65534\t65534\t65534\n"));
}

TEST_F(ConfinedProcessTest, TheChildHasOnlyItsOwnDescriptorsAndNoTerminal) {
  const ScopedFd secret(open("/proc/self/environ", O_RDONLY));  // no O_CLOEXEC
  const std::string found = Run(Usual(), [] {
    std::string names;
    DIR* const folder = opendir("/proc/self/fd");
    const std::string own = std::to_string(dirfd(folder));
    for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
      if (entry->d_name[0] != '.' && entry->d_name != own) names += entry->d_name;
    }
    char x = 'x';
    names += ioctl(0, TIOCSTI, &x) == 0 ? " typed" : "";
    return names + (getsid(0) == getpid() ? " alone" : "");
  });
  EXPECT_EQ(found, "012345 alone");
}

TEST_F(ConfinedProcessTest, ReadsTheInputAndWritesTheOutput) {
  const std::string answer = Run(Usual(), [] {
    char text[4] = {};
    const bool read_and_written =
        read(kConfinedInput, text, 1) == 1 && write(kConfinedOutput, "done", 4) == 4;
    return std::string(read_and_written ? "yes" : "no");
  });
  EXPECT_EQ(answer, "yes");
  std::ostringstream written;
  written << std::ifstream(folder_.File("out")).rdbuf();
  EXPECT_EQ(written.str(), "done");
}

TEST_F(ConfinedProcessTest, ReportsTooMuchMemory) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer ends the process in its own way";
  Confinement confinement = Usual();
  confinement.advice = [] { return std::string(": take less"); };
  const std::string answer = Run(confinement, [] {
    std::vector<std::unique_ptr<char[]>> blocks;
    while (blocks.size() < 100'000) blocks.emplace_back(new char[1 << 20]);
    return std::string("done");
  });
  EXPECT_EQ(answer, "error: it takes more than 256 MB of memory: take less");
}

TEST_F(ConfinedProcessTest, ReportsTooMuchCpuTime) {
  Confinement confinement = Usual();
  confinement.cpu_seconds = 1;
  const std::string answer = Run(confinement, []() -> std::string {
    for (;;) getppid();
  });
  EXPECT_EQ(answer, "error: it takes more than 1 s of CPU");
}

TEST_F(ConfinedProcessTest, LimitsTheSizeOfTheOutput) {
  const std::string answer = Run(Usual(), [] {
    const std::string block(1 << 16, 'x');
    for (int i = 0; i < 1000; ++i) {
      const ssize_t written = write(kConfinedOutput, block.data(), block.size());
      if (written < 0) return std::string(strerror(errno));
    }
    return std::string("done");
  });
  EXPECT_EQ(answer, "File too large");
}

TEST_F(ConfinedProcessTest, ReportsACrash) {
  const std::string answer = Run(Usual(), []() -> std::string {
    std::signal(SIGSEGV, SIG_DFL);
    kill(getpid(), SIGSEGV);
    return "survived";
  });
  EXPECT_THAT(answer, HasSubstr("crashed (signal 11): the file is damaged"));
}

TEST_F(ConfinedProcessTest, RefusesAnAnswerThatIsTooLong) {
  const std::string answer = Run(Usual(), [] { return std::string(10 * kMaxAnswer, 'x'); });
  EXPECT_THAT(answer, HasSubstr("error: "));
  EXPECT_THAT(answer, Not(HasSubstr("xxx")));
}

TEST_F(ConfinedProcessTest, ReportsAUserThatItCannotBecome) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  Confinement confinement = Usual();
  confinement.uid = static_cast<uid_t>(-1);
  confinement.gid = kGroup;
  EXPECT_THAT(Run(confinement, [] { return std::string("went on as root"); }),
              HasSubstr("error: "));
}

}  // namespace
}  // namespace jprof
