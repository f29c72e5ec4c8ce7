#include "matrix/stack_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct Method {
  std::string owner;
  std::string name;
};
using Stack = std::vector<Method>;  // innermost method first

constexpr int64_t kMillis = 1'000'000;

class StackCensusTest : public testing::Test {
 protected:
  // Returns the census of one CPU sample for each stack, all on a thread with this Java name.
  StackCensus Count(const std::vector<Stack>& stacks, const std::string& thread = "worker") {
    const std::string path = folder_.File("in.jfr");
    auto writer =
        std::move(JfrWriter::Open(path, ChunkClock{1'700'000'000'000'000'000, 0})).value();
    ConstantPools& pools = writer->pools();
    int64_t time_ns = 0;
    for (const Stack& stack : stacks) {
      std::vector<FrameConstant> frames;
      for (const auto& [owner, name] : stack) {
        const bool is_java = owner.find('/') != std::string::npos;
        const uint32_t declaring = pools.Class({.name = owner});
        frames.push_back({pools.Method({declaring, name, is_java ? "()V" : "()L;"}), 0, 0,
                          is_java ? FrameType::kC1Compiled : FrameType::kNative});
      }
      const uint32_t key = pools.NewStackTraceKey();
      pools.SetStackTrace(key, Truncated::kNo, frames);
      const uint32_t number = pools.Thread({1, 11, "os", thread, thread.empty() ? 0 : 1});
      writer->Append(ExecutionSample{time_ns += kMillis, number, key});
    }
    EXPECT_TRUE(writer->Seal(time_ns).ok());
    const auto census = TakeStackCensus(path, "cpu");
    EXPECT_TRUE(census.ok()) << census.error().message();
    return census.value();
  }

  TempFolder folder_;
};

const Method kRun = {"java/lang/Thread", "run"};
const Method kWork = {"app/Work", "work"};

TEST_F(StackCensusTest, StacksThatReachAThreadEntryAreRooted) {
  const StackCensus census = Count({{kWork, kRun},
                                    {kWork, {"app/Main", "main"}},
                                    {{"libjvm.so", "park"}, {"libc.so", "clone"}}});
  EXPECT_EQ(census.walks, 3u);
  EXPECT_EQ(census.rooted, 3u);
  EXPECT_EQ(census.unknown, 0u);
  EXPECT_THAT(census.failures, IsEmpty());
}

TEST_F(StackCensusTest, CountsOtherOutermostMethodsAsFailures) {
  const StackCensus census =
      Count({{kWork, {"jprof", "[break: stub]"}}, {kWork}, {kWork, kRun}, {kWork, kRun}});
  EXPECT_EQ(census.rooted, 2u);
  EXPECT_DOUBLE_EQ(census.RootedPercent(), 50);
  EXPECT_THAT(census.failures,
              ElementsAre(Pair("[break: stub]", 1), Pair("ends in app.Work.work", 1)));
}

TEST_F(StackCensusTest, FramesWithoutANameAreUnknownButNotUnrooted) {
  const StackCensus census = Count({{{"[generated code]", "[unknown]"}, kWork, kRun},
                                    {{"libz.so", "[unknown]"}, kWork, kRun},
                                    {{"jprof", "[unloaded class]"}, kRun}});
  EXPECT_EQ(census.rooted, 3u);
  EXPECT_EQ(census.unknown, 2u);
}

TEST_F(StackCensusTest, DoesNotCountTimeWithoutASignal) {
  const StackCensus census =
      Count({{{"jprof", "[before the first sample]"}}, {{"jprof", "[thread end]"}}, {kWork, kRun}});
  EXPECT_EQ(census.samples, 3u);
  EXPECT_EQ(census.walks, 1u);
}

TEST_F(StackCensusTest, LeavesOutThreadsWithoutAJavaName) {
  const StackCensus census = Count({{{"libjvm.so", "GCTaskThread::run"}}}, "");
  EXPECT_EQ(census.samples, 1u);
  EXPECT_EQ(census.walks, 0u);
}

}  // namespace
}  // namespace jprof::test
