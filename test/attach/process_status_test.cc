#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "attach/proc_texts.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr char kText[] =
    "Name:\tUid: 7 (sd)\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\nPid:\t4711\n"
    "Uid:\t1000\t1001\t1002\t1003\nGid:\t100\t101\t102\t103\nNSpid:\t4711\t12\t1\n"
    "SigCgt:\t2000000181005ccf\n";

TEST(ProcessStatusTest, HasTheEffectiveIdsAndTheInnermostPid) {
  const Result<ProcessStatus> status = ParseProcessStatus(kText);
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status.value().state, 'S');
  EXPECT_EQ(status.value().euid, 1001u);
  EXPECT_EQ(status.value().egid, 101u);
  EXPECT_EQ(status.value().namespace_pid, 1);
  EXPECT_TRUE(status.value().Catches(SIGQUIT));
  EXPECT_FALSE(status.value().Catches(SIGTRAP));
}

TEST(ProcessStatusTest, HasTheOnlyPidWithoutNamespaces) {
  std::string text = kText;
  text.replace(text.find("NSpid"), 5, "Other");
  const Result<ProcessStatus> status = ParseProcessStatus(text);
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status.value().namespace_pid, 4711);
}

TEST(ProcessStatusTest, NamesALineThatIsMissingOrMalformed) {
  for (const std::string key : {"State", "Uid", "Gid", "SigCgt"}) {
    std::string text = kText;
    const size_t line = text.find("\n" + key + ":") + 1;
    text.erase(line, text.find('\n', line) - line + 1);
    const Result<ProcessStatus> status = ParseProcessStatus(text);
    ASSERT_FALSE(status.ok()) << key;
    EXPECT_NE(status.error().message().find(key), std::string::npos) << status.error().message();
  }
  for (const std::string bad : {"Uid:\t1\tx\t1\t1\n", "Uid:\t1\n", "Uid:\n", "Uid:"}) {
    std::string text = kText;
    const size_t line = text.find("Uid:\t1000");
    text.replace(line, text.find('\n', line) - line + 1, bad);
    EXPECT_FALSE(ParseProcessStatus(text).ok()) << bad;
  }
}

TEST(ProcessStatusTest, ParsesTheRealStatusOfThisProcess) {
  const Result<std::string> text = ReadFile("/proc/self/status");
  ASSERT_TRUE(text.ok());
  const Result<ProcessStatus> status = ParseProcessStatus(text.value());
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status.value().euid, geteuid());
  EXPECT_EQ(status.value().namespace_pid, getpid());
  EXPECT_EQ(status.value().state, 'R');
}

TEST(ProcessStatusTest, RefusesOrParsesEveryPrefixOfAText) {
  const std::string text = kText;
  for (size_t length = 0; length <= text.size(); ++length) {
    const Result<ProcessStatus> status = ParseProcessStatus(text.substr(0, length));
    if (status.ok()) {
      EXPECT_GT(length, text.find("SigCgt"));
    }
  }
}

}  // namespace
}  // namespace jprof
