#include "base/log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/temp_folder.h"

namespace jprof {
namespace {

class LogTest : public ::testing::Test {
 protected:
  LogTest() { EXPECT_TRUE(Log::SetFile(path_).ok()); }
  ~LogTest() override { EXPECT_TRUE(Log::SetFile("").ok()); }

  std::string Written() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("log");
};

TEST_F(LogTest, EveryLineOfAnAnswerHasThePrefix) {
  Log::Info("%s", "state  idle\nfile   a.jfr");
  EXPECT_EQ(Written(), "[jprof] state  idle\n[jprof] file   a.jfr\n");
}

TEST_F(LogTest, AWarningIsOneLine) {
  Log::Warn("%s", "a file named 'x\n[jprof] error: y'");
  EXPECT_EQ(Written(), "[jprof] warning: a file named 'x\\x0a[jprof] error: y'\n");
}

}  // namespace
}  // namespace jprof
