#include "base/output_claim.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uid_t kOther = 54321;  // a user without files

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns all bytes that are written to a pipe until its last writer closes it.
std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    out = ScopedFd(ends[0]);
    in = ScopedFd(ends[1]);
  }
  // Waits until the other end is written to or closed.
  void Await() const {
    char byte = 0;
    EXPECT_GE(read(out.get(), &byte, 1), 0);
  }
  void Tell(const std::string& text) const {
    EXPECT_EQ(write(in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  ScopedFd out;
  ScopedFd in;
};

void Kill(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

class OutputClaimTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.File("a.jfr"); }
  std::string Lock() const { return folder_.File(".a.jfr.lock"); }

  // Claims the path and ends the claim. Returns the path that was claimed, or the error.
  std::string Claimed(pid_t pid = 7) const {
    const Result<OutputClaim> claim = OutputClaim::Take(Path(), pid);
    return claim ? claim.value().path() : claim.error().message();
  }

  test::TempFolder folder_;
};

TEST_F(OutputClaimTest, OnlyTheFirstClaimHasANameWithoutAPid) {
  const std::string html = folder_.File("a.html.gz");
  const Result<OutputClaim> first = OutputClaim::Take(html, 7);
  const Result<OutputClaim> second = OutputClaim::Take(html, 8);
  const Result<OutputClaim> third = OutputClaim::Take(html, 8);
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  EXPECT_EQ(first.value().path(), html);
  EXPECT_EQ(first.value().notice(), "");
  EXPECT_EQ(second.value().path(), folder_.File("a-8.html.gz"));
  EXPECT_EQ(second.value().suffix(), "-8");
  EXPECT_EQ(second.value().notice(), html + " is being written by process " +
                                         std::to_string(getpid()) + ": this recording goes to " +
                                         second.value().path());
  EXPECT_EQ(third.value().path(), folder_.File("a-8-2.html.gz"));
}

TEST_F(OutputClaimTest, AClaimThatEndsLeavesNothingAndFreesTheName) {
  EXPECT_EQ(Claimed(), Path());
  EXPECT_THAT(folder_.Names(), IsEmpty());
  Result<OutputClaim> first = OutputClaim::Take(Path(), 7);
  Result<OutputClaim> second = OutputClaim::Take(Path(), 8);
  ASSERT_TRUE(first.ok() && second.ok());
  first.value() = std::move(second).value();  // the first claim ends here
  EXPECT_THAT(folder_.Names(), ElementsAre(".a-8.jfr.lock"));
  EXPECT_EQ(Claimed(), Path());
}

TEST_F(OutputClaimTest, AFinishedFileCanBeClaimedAgain) {
  std::ofstream(Path()) << "finished";
  EXPECT_EQ(Claimed(), Path());
  EXPECT_EQ(TextOf(Path()), "finished");
}

TEST_F(OutputClaimTest, DoesNotReplaceExistingFilesWithSuffixes) {
  std::ofstream(folder_.File("a-7.jfr")) << "another process's";
  const Result<OutputClaim> first = OutputClaim::Take(Path(), 1);
  const Result<OutputClaim> second = OutputClaim::Take(Path(), 7);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second.value().path(), folder_.File("a-7-2.jfr"));
}

TEST_F(OutputClaimTest, AFileThatIsLockedItselfCountsAsClaimed) {
  std::ofstream(Path()) << "open";
  ScopedFd writer(open(Path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  EXPECT_EQ(Claimed(), folder_.File("a-7.jfr"));
  writer.Reset();
  EXPECT_EQ(Claimed(), Path());
}

TEST_F(OutputClaimTest, AnotherNameOfTheSameFileIsTheSameClaim) {
  std::ofstream(Path()) << "finished";
  ASSERT_EQ(symlink("a.jfr", folder_.File("latest.jfr").c_str()), 0);
  const Result<OutputClaim> first = OutputClaim::Take(folder_.File("latest.jfr"), 7);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Claimed(8), folder_.File("a-8.jfr"));
}

TEST_F(OutputClaimTest, AKilledProcessFreesTheName) {
  const Pipe ready;
  const pid_t child = fork();
  if (child == 0) {
    const Result<OutputClaim> claim = OutputClaim::Take(Path(), 7);
    ready.Tell("x");
    pause();
  }
  ready.Await();
  EXPECT_EQ(Claimed(8), folder_.File("a-8.jfr"));
  Kill(child);
  EXPECT_THAT(folder_.Names(), ElementsAre(".a.jfr.lock"));
  EXPECT_EQ(Claimed(8), Path());
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(OutputClaimTest, AForkedProcessNeitherKeepsNorEndsTheClaim) {
  const Pipe ready;
  const pid_t owner = fork();
  if (owner == 0) {
    const Result<OutputClaim> claim = OutputClaim::Take(Path(), 7);
    const pid_t brief = fork();
    if (brief == 0) _exit(0);
    waitpid(brief, nullptr, 0);
    const pid_t lasting = fork();
    if (lasting == 0) ready.Tell(std::to_string(getpid()) + '\n');
    pause();
    _exit(0);
  }
  std::array<char, 32> text{};
  ASSERT_GT(read(ready.out.get(), text.data(), text.size() - 1), 0);
  EXPECT_EQ(Claimed(8), folder_.File("a-8.jfr")) << "the end of a child ended the claim";
  Kill(owner);
  EXPECT_EQ(Claimed(8), Path()) << "a child keeps the claim";
  kill(static_cast<pid_t>(std::atoi(text.data())), SIGKILL);
}

TEST_F(OutputClaimTest, GrantsEachNameOnceToConcurrentClaims) {
  constexpr int kRounds = 30;
  constexpr int kProcesses = 12;
  for (int round = 0; round < kRounds; ++round) {
    // Every other round starts with the lock file of a dead process.
    if (round % 2 == 1) std::ofstream(Lock()) << "1\n";
    Pipe start;
    Pipe paths;
    Pipe end;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      start.in.Reset();
      end.in.Reset();
      start.Await();
      {
        const Result<OutputClaim> claim = OutputClaim::Take(Path(), getpid());
        paths.Tell((claim ? claim.value().path() : claim.error().message()) + '\n');
        paths.in.Reset();
        end.Await();
      }
      _exit(0);
    }
    start.in.Reset();
    paths.in.Reset();
    std::istringstream lines(ReadAll(paths.out.get()));
    std::multiset<std::string> claimed;
    for (std::string line; std::getline(lines, line);) claimed.insert(line);
    end.in.Reset();
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    EXPECT_EQ(claimed.size(), size_t{kProcesses});
    EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(), size_t{kProcesses});
    EXPECT_EQ(claimed.count(Path()), 1u);
    EXPECT_THAT(folder_.Names(), IsEmpty());
  }
}

TEST_F(OutputClaimTest, RefusesAPathThatIsNotARegularFile) {
  for (const std::string& path : {std::string("/dev/null"), folder_.File("none/a.jfr")}) {
    EXPECT_FALSE(OutputClaim::Take(path, 7).ok()) << path;
  }
}

TEST_F(OutputClaimTest, DoesNotChangeAFileThatIsNotALockFile) {
  std::ofstream(folder_.File("victim")) << "precious";
  ASSERT_EQ(symlink("victim", Lock().c_str()), 0);
  EXPECT_EQ(Claimed(), folder_.File("a-7.jfr"));
  ASSERT_EQ(unlink(Lock().c_str()), 0);
  ASSERT_EQ(mkfifo(Lock().c_str(), 0666), 0);
  EXPECT_EQ(Claimed(), folder_.File("a-7.jfr"));
  ASSERT_EQ(unlink(Lock().c_str()), 0);
  ASSERT_EQ(mkdir(Lock().c_str(), 0777), 0);
  EXPECT_EQ(Claimed(), folder_.File("a-7.jfr"));
  ASSERT_EQ(rmdir(Lock().c_str()), 0);
  // A second name of another file is removed; the file stays as it is.
  ASSERT_EQ(link(folder_.File("victim").c_str(), Lock().c_str()), 0);
  EXPECT_EQ(Claimed(), Path());
  EXPECT_EQ(TextOf(folder_.File("victim")), "precious");
}

// OtherUsersClaimTest needs root, which can act as other users.
class OtherUsersClaimTest : public OutputClaimTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
    ASSERT_EQ(chmod(folder_.File("").c_str(), 01777), 0);
  }

  // Returns the path that a process of `user` gets.
  std::string ClaimedBy(uid_t user) const {
    Pipe paths;
    const pid_t child = fork();
    if (child == 0) {
      if (setresuid(user, user, user) != 0) _exit(1);
      paths.Tell(Claimed(8));
      _exit(0);
    }
    paths.in.Reset();
    const std::string path = ReadAll(paths.out.get());
    waitpid(child, nullptr, 0);
    return path;
  }
};

TEST_F(OtherUsersClaimTest, RespectsTheClaimOfAnotherUser) {
  const Result<OutputClaim> claim = OutputClaim::Take(Path(), 7);
  EXPECT_EQ(ClaimedBy(kOther), folder_.File("a-8.jfr"));
}

TEST_F(OtherUsersClaimTest, LocksALockFileThatItCannotRemove) {
  std::ofstream(Lock()) << "7\n";  // a file of root, in a folder where only owners remove files
  EXPECT_EQ(ClaimedBy(kOther), Path());
  EXPECT_EQ(TextOf(Lock()), "7\n");
}

TEST_F(OtherUsersClaimTest, ALockThatAnotherUserHoldsOnlyAddsASuffix) {
  std::ofstream(Lock()) << "not a number";
  ASSERT_EQ(chown(Lock().c_str(), kOther, kOther), 0);
  const ScopedFd held(open(Lock().c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(held.get(), LOCK_SH), 0);
  const Result<OutputClaim> claim = OutputClaim::Take(Path(), 7);
  ASSERT_TRUE(claim.ok());
  EXPECT_EQ(claim.value().path(), folder_.File("a-7.jfr"));
  EXPECT_THAT(claim.value().notice(), HasSubstr("is being written by another process"));
  EXPECT_EQ(TextOf(Lock()), "not a number");
}

TEST_F(OtherUsersClaimTest, SucceedsInAFolderThatItCannotWriteTo) {
  ASSERT_EQ(chmod(folder_.File("").c_str(), 0755), 0);
  EXPECT_EQ(ClaimedBy(kOther), Path());
}

}  // namespace
}  // namespace jprof
