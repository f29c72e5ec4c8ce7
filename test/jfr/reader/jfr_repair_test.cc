#include "jfr/reader/jfr_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "base/scoped_fd.h"
#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using ::testing::HasSubstr;

class JfrRepairTest : public ::testing::Test {
 protected:
  JfrRepairTest() {
    auto writer = JfrWriter::Open(path_, ChunkClock{});
    EXPECT_TRUE(writer.ok());
    EXPECT_TRUE(writer.value()->Seal(0).ok());
    EXPECT_TRUE(writer.value()->StartChunk(1).ok());
    writer.value()->Append(DataLoss{});
    EXPECT_TRUE(writer.value()->Seal(1).ok());
    whole_ = test::ReadFile(path_);
  }
  void Write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  std::string whole_;
};

TEST_F(JfrRepairTest, CutsOffEveryTailAndKeepsFinishedChunks) {
  for (size_t length = 0; length < whole_.size() / 2; length += 97) {
    Write(whole_ + whole_.substr(0, length));
    const Result<JfrRepairReport> report = RepairJfr(path_);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_EQ(report.value().chunks, 2);
    EXPECT_EQ(report.value().removed_bytes, static_cast<int64_t>(length));
    ASSERT_EQ(test::ReadFile(path_), whole_);
    ASSERT_EQ(report.value().tail.empty(), length == 0);
    if (length == 0) continue;
    // The file `tail` has the removed bytes.
    ASSERT_EQ(test::ReadFile(report.value().tail), whole_.substr(0, length));
    ASSERT_EQ(unlink(report.value().tail.c_str()), 0);
  }
}

TEST_F(JfrRepairTest, ATailDoesNotReplaceAnExistingFile) {
  for (const std::string name : {"a-tail.jfr", "a-tail-2.jfr", "a-tail-3.jfr"}) {
    Write(whole_ + "FLR");
    const Result<JfrRepairReport> report = RepairJfr(path_);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_EQ(report.value().tail, folder_.File(name));
  }
}

TEST_F(JfrRepairTest, AnUnfinishedChunkOfFullSizeIsATail) {
  constexpr size_t kStateAt = 64;
  std::string open = whole_;
  open[kStateAt] = 1;
  Write(whole_ + open);
  const Result<JfrRepairReport> report = RepairJfr(path_);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report.value().removed_bytes, static_cast<int64_t>(open.size()));
  EXPECT_EQ(test::ReadFile(path_), whole_);
}

TEST_F(JfrRepairTest, AFileWithoutAFinishedChunkIsLeftAlone) {
  for (const std::string& bytes : {std::string(), std::string("text"), whole_.substr(0, 100)}) {
    Write(bytes);
    EXPECT_FALSE(RepairJfr(path_).ok());
    EXPECT_EQ(test::ReadFile(path_), bytes);
  }
  EXPECT_FALSE(RepairJfr(folder_.File("missing.jfr")).ok());
}

TEST_F(JfrRepairTest, RefusesAFileThatIsBeingRecordedTo) {
  auto writer = JfrWriter::Open(path_, ChunkClock{});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer.value()->Seal(0).ok());
  const Result<JfrRepairReport> refused = RepairJfr(path_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("is being recorded to"));
  writer.value().reset();
  EXPECT_TRUE(RepairJfr(path_).ok());
}

}  // namespace
}  // namespace jprof::profile
