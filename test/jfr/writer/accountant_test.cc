#include "jfr/writer/accountant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AccountantTest : public ::testing::Test {
 protected:
  std::unique_ptr<JfrWriter> Open() {
    auto writer = JfrWriter::Open(path_, ChunkClock{});
    EXPECT_TRUE(writer.ok()) << writer.error().message();
    return std::move(writer).value();
  }
  std::vector<std::string> Faults() const { return test::AuditRecording(test::ReadFile(path_)); }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

TEST_F(AccountantTest, ASoundRecordingHasNoFaults) {
  auto writer = Open();
  EventSettings settings;
  settings.Enable(JfrType::kExecutionSample);
  for (int64_t chunk = 0; chunk < 3; ++chunk) {
    const Status started = chunk > 0 ? writer->StartChunk(chunk) : Status();
    ASSERT_TRUE(started.ok());
    settings.WriteTo(*writer, chunk);
    ExecutionSample sample{.time_ns = chunk};
    sample.thread_key = writer->pools().Thread({.serial = 1, .os_tid = 7, .os_name = "t"});
    sample.stack_key = writer->pools().NewStackTraceKey();
    writer->Append(sample);
    ASSERT_TRUE(writer->Seal(chunk).ok());
  }
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(AccountantTest, AReferenceThatLeadsNowhereIsAFault) {
  auto writer = Open();
  writer->Append(ExecutionSample{.time_ns = 0, .thread_key = 7});
  ASSERT_TRUE(writer->Seal(0).ok());
  EXPECT_THAT(Faults(), ElementsAre("chunk 0: no java.lang.Thread #7"));
}

TEST_F(AccountantTest, AClassNameThatResemblesAnArrayIsAFault) {
  auto writer = Open();
  std::vector<FrameConstant> frames;
  for (const char* name : {"[I", "[[Ljava/lang/String;", "[vdso]"}) {
    MethodConstant method;
    method.class_key = writer->pools().Class({.name = name});
    method.name = "m";
    method.descriptor = "()V";
    frames.push_back({.method_key = writer->pools().Method(method)});
  }
  const uint32_t stack = writer->pools().NewStackTraceKey();
  writer->pools().SetStackTrace(stack, Truncated::kNo, frames);
  ExecutionSample sample{.time_ns = 0};
  sample.thread_key = writer->pools().Thread({.serial = 1, .os_tid = 7, .os_name = "t"});
  sample.stack_key = stack;
  writer->Append(sample);
  ASSERT_TRUE(writer->Seal(0).ok());
  EXPECT_THAT(Faults(), ElementsAre("chunk 0: a class named [vdso]"));
}

TEST_F(AccountantTest, ATypeThatIsEnabledTwiceIsAFault) {
  auto writer = Open();
  for (int i = 0; i < 2; ++i) {
    EventSettings settings;
    settings.Enable(JfrType::kExecutionSample);
    settings.WriteTo(*writer, 0);
  }
  ASSERT_TRUE(writer->Seal(0).ok());
  EXPECT_THAT(Faults(), ElementsAre("chunk 0: enabled again: jdk.ExecutionSample"));
}

TEST_F(AccountantTest, ElapsedTimeInTheStateOfCpuTimeIsAFault) {
  auto writer = Open();
  for (const ThreadState state : {ThreadState::kUnknown, ThreadState::kDefault}) {
    writer->Append(WallClockSample{.time_ns = 0, .state = state});
  }
  ASSERT_TRUE(writer->Seal(0).ok());
  EXPECT_THAT(Faults(), ElementsAre("chunk 0: elapsed time that is STATE_DEFAULT"));
}

TEST_F(AccountantTest, ChunksThatStartTogetherAreAFault) {
  ASSERT_TRUE(Open()->Seal(0).ok());
  const std::string chunk = test::ReadFile(path_);
  EXPECT_THAT(test::AuditRecording(chunk + chunk),
              ElementsAre("chunk 1: starts no later than the one before"));
}

TEST_F(AccountantTest, ATailIsAFault) {
  ASSERT_TRUE(Open()->Seal(0).ok());
  const std::string chunk = test::ReadFile(path_);
  EXPECT_THAT(test::AuditRecording(chunk + "FLR"), Not(IsEmpty()));
  EXPECT_THAT(test::AuditRecording(chunk + chunk.substr(0, 500)),
              ElementsAre(HasSubstr("longer than the file")));
}

}  // namespace
}  // namespace jprof
