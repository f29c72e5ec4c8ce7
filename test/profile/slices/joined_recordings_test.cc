// What several recordings have to agree about, and how a cut event counts.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/chunk_builder.h"
#include "profile/sample_part.h"
#include "profile/slices/read_slices.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using ::testing::HasSubstr;

class JoinedRecordingsTest : public ::testing::Test, private SampleSink {
 protected:
  // A CPU sample, with its interval unless `period` is empty.
  std::string Recording(const std::string& name, const std::string& period) {
    test::ChunkBuilder chunk;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    chunk.Type(49, "jdk.ActiveSetting", "jdk.jfr.Event",
               {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
                {"id", test::kLongId},
                {"name", test::kStringId},
                {"value", test::kStringId}});
    if (!period.empty()) {
      chunk.Event(49, [&](Bytes& out) {
        out.Long(1000);
        out.Long(30);
        out.Utf8("period");
        out.Utf8(period);
      });
    }
    test::AddSample(chunk, 2000);
    test::WriteFile(folder_.File(name), chunk.Build());
    return folder_.File(name);
  }

  // Why both cannot be read together; empty: they can.
  std::string Join(const std::string& first, const std::string& second) {
    std::vector<RecordingInput> inputs;
    for (const std::string& path : {Recording("a.jfr", first), Recording("b.jfr", second)}) {
      inputs.push_back({ScopedFd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path});
    }
    Profile part;
    const auto read = ReadSlices(inputs, Slice(), SliceReading(), part, *this);
    return read.ok() ? "" : read.error().message();
  }

  test::TempFolder folder_;

 private:
  void OnSample(const Sample&) override {}
};

TEST_F(JoinedRecordingsTest, AnIntervalThatIsNotKnownIsNotThatOfAnotherRecording) {
  EXPECT_THAT(Join("10 ms", ""), HasSubstr("b.jfr' at intervals that are not known"));
  EXPECT_THAT(Join("10 ms", "20 ms"), HasSubstr("b.jfr' every 20"));
  EXPECT_EQ(Join("10 ms", "10 ms"), "");
  EXPECT_EQ(Join("", ""), "");
}

// Or the recording would be said to have no samples of it.
TEST(CutEventTest, AnEventOfWhichTheLesserPartIsLeftIsStillAnEvent) {
  Sample wait;
  wait.time_ns = 1000;
  wait.covers_ns = 100;
  wait.value = 100;
  const Sample begin = PartWithin(wait, {0, 1010});
  const Sample end = PartWithin(wait, {1010, 5000});
  EXPECT_EQ(begin.samples, 1u);
  EXPECT_EQ(end.samples, 1u);
  EXPECT_EQ(begin.value, 10u);
  EXPECT_EQ(end.value, 90u);
  EXPECT_EQ(PartWithin(wait, {2000, 3000}).samples, 0u);
}

}  // namespace
}  // namespace jprof::profile
