#include "agent/answer_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace jprof {
namespace {

class AnswerFileTest : public testing::Test {
 protected:
  AnswerFileTest() {
    std::string pattern = testing::TempDir() + "answer-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~AnswerFileTest() override { std::filesystem::remove_all(folder_); }

  std::string Content(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

TEST_F(AnswerFileTest, HoldsTheAnswerForItsUserOnly) {
  const Error answer("two\nlines\n", ErrorKind::kJvmIsStarting);
  ASSERT_TRUE(WriteAnswerFile(folder_ + "/a", answer).ok());
  EXPECT_EQ(Content("a"), EncodeAnswer(answer));
  struct stat info;
  ASSERT_EQ(stat((folder_ + "/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(AnswerFileTest, NeverWritesToAnExistingFile) {
  std::ofstream(folder_ + "/there") << "mine";
  std::filesystem::create_symlink("there", folder_ + "/link");
  std::filesystem::create_symlink("missing", folder_ + "/dangling");
  for (const std::string name : {"there", "link", "dangling"}) {
    EXPECT_FALSE(WriteAnswerFile(folder_ + "/" + name, Error("x")).ok()) << name;
  }
  EXPECT_EQ(Content("there"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/missing"));
}

TEST_F(AnswerFileTest, FindsTheOptionInAnInvalidString) {
  EXPECT_EQ(FindAnswerFile("start,bogus,answer=/tmp/a,,x"), "/tmp/a");
  EXPECT_EQ(FindAnswerFile("answer=/a"), "/a");
  EXPECT_EQ(FindAnswerFile("start,file=/answer=x"), std::nullopt);
  EXPECT_EQ(FindAnswerFile("start,answer"), std::nullopt);
  EXPECT_EQ(FindAnswerFile(""), std::nullopt);
}

}  // namespace
}  // namespace jprof
