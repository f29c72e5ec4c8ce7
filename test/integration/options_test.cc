// Option strings that are refused at launch and on attach.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Rejected {
  std::string options;
  std::string word;  // word that the message must name
};

std::vector<Rejected> RejectedOptions() {
  return {
      {"start,evnt=cpu", "evnt"},
      {"begin", "begin"},
      {"start,event", "event"},
      {"start,event=", "event"},
      {"start,event=nonsense", "nonsense"},
      {"start,event=cpu,interval", "interval"},
      {"start,event=cpu,interval=", "interval"},
      {"start,event=cpu,interval=0", "interval"},
      {"start,event=cpu,interval=-1ms", "interval"},
      {"start,event=cpu,interval=fast", "fast"},
      {"start,event=cpu,interval=10parsecs", "10parsecs"},
      {"start,cpu=fast", "fast"},
      {"start,wall=-5ms", "wall"},
      {"start,event=cpu,jstackdepth=0", "jstackdepth"},
      {"start,event=cpu,jstackdepth=deep", "deep"},
      {"start,event=cpu,loglevel=loud", "loud"},
      {"start,stop,event=cpu", "stop"},
  };
}

class OptionsTest : public JvmTest {
 protected:
  std::string WithFile(const std::string& options) const {
    return options + ",file=" + Path("out.jfr");
  }
};
JPROF_ON_EVERY_JDK(OptionsTest);

TEST_P(OptionsTest, AWrongWordEndsTheLaunchWithOneLine) {
  for (const Rejected& rejected : RejectedOptions()) {
    SCOPED_TRACE(rejected.options);
    const ProcessResult run = RunProfiled(WithFile(rejected.options), {"Hello"});
    EXPECT_EQ(run.exit_code, 1) << run.Describe();
    EXPECT_THAT(run.out, Not(HasSubstr("hello")));
    EXPECT_THAT(AgentLog(run.err).lines(), ElementsAre(HasSubstr(rejected.word)));
    EXPECT_THAT(FilesInFolder(), IsEmpty());
  }
}

TEST_P(OptionsTest, AWrongWordOnAttachIsRefused) {
  auto server = RunningProcess::Start(Java({"Server", "0", "0"}));
  ASSERT_TRUE(server.ok() && server.value().WaitForLine("ready").ok());
  const pid_t pid = server.value().pid();
  for (const Rejected& rejected : RejectedOptions()) {
    const AttachResult attach = Attach(pid, WithFile(rejected.options));
    EXPECT_TRUE(attach.Refused()) << rejected.options << "\n" << attach.output;
  }
  EXPECT_THAT(FilesInFolder(), IsEmpty());
  EXPECT_TRUE(Attach(pid, WithFile("start,event=cpu")).Accepted());
  EXPECT_TRUE(Attach(pid, "stop").Accepted());
  server.value().WriteLine("quit");
  const ProcessResult end = server.value().Wait();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  const AgentLog log(end.err);
  for (const Rejected& rejected : RejectedOptions()) {
    EXPECT_GE(log.LinesWith(rejected.word), 1) << rejected.options << "\n" << end.err;
  }
}

// jcmd cuts an unquoted argument at the first '=', so that the agent gets only "start,event".
TEST_P(OptionsTest, OptionsThatJcmdCutAreRefused) {
  auto server = RunningProcess::Start(Java({"Server", "0", "0"}));
  ASSERT_TRUE(server.ok() && server.value().WaitForLine("ready").ok());
  const AttachResult attach =
      AttachUnquoted(server.value().pid(), "start,event=cpu,file=" + Path("out.jfr"));
  EXPECT_TRUE(attach.Refused()) << attach.output;
  server.value().WriteLine("quit");
  const ProcessResult end = server.value().Wait();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  EXPECT_THAT(AgentLog(end.err).lines(), ElementsAre(HasSubstr("event")));
  EXPECT_THAT(FilesInFolder(), IsEmpty());
}

TEST_P(OptionsTest, AnIntervalMayHaveAUnit) {
  for (const std::string interval : {"10ms", "10000us", "10000000", "10000000ns"}) {
    SCOPED_TRACE(interval);
    const ProcessResult run =
        RunProfiled(WithFile("start,event=cpu,interval=" + interval), {"BusyLoop", "1", "100"});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_NEAR(static_cast<double>(AgentLog(run.err).LastCount("samples")), 20, 15);
  }
}

}  // namespace
}  // namespace jprof::test
