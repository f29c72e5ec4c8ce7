// -agentpath: what a user sees when a program is profiled from its start.
#include <regex>
#include <set>

#include "support/jvm/jvm_test.h"
#include "support/text.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

class LaunchTest : public JvmTest {};
JPROF_ON_EVERY_JDK(LaunchTest);

TEST_P(LaunchTest, PrintsOneLineAtStartAndOneAtStop) {
  const std::string file = Path("out.jfr");
  const ProcessResult run = RunProfiled("start,event=cpu,file=" + file, {"BusyLoop", "1", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const AgentLog log(run.err);
  ASSERT_THAT(log.lines(), SizeIs(2)) << run.Describe();
  EXPECT_THAT(log.lines()[0], AllOf(HasSubstr("cpu"), HasSubstr(file)));
  EXPECT_THAT(log.lines()[1], HasSubstr(file));
  EXPECT_GE(log.LastCount("samples"), 25);
  EXPECT_GE(log.LastCount("lost"), 0);
  EXPECT_THAT(run.out, Not(HasSubstr("jprof")));
}

constexpr int kFirstMajorWithLogOfClasses = 9;
class ClassesAtLaunchTest : public LaunchTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithLogOfClasses, ClassesAtLaunchTest);

// The initialisation of a class can have effects: some classes start threads.
TEST_P(ClassesAtLaunchTest, InitialisesNoClassForTheProfiler) {
  const auto initialised = [](const ProcessResult& run) {
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    static const std::regex line_of("Initializing '([^']+)'");
    std::set<std::string> names;
    for (std::sregex_iterator line(run.out.begin(), run.out.end(), line_of), end; line != end;
         ++line) {
      names.insert((*line)[1]);
    }
    return names;
  };
  const std::string log = "-Xlog:class+init=info";
  const auto alone = initialised(RunProcess(Java({"Hello"}, {log})));
  const auto profiled =
      initialised(RunProfiled("start,cpu,wall,file=" + Path("out.jfr"), {"Hello"}, {log}));
  EXPECT_GT(alone.size(), 100u);
  EXPECT_THAT(profiled, IsSubsetOf(alone));
}

TEST_P(LaunchTest, LeavesOnlyTheRecording) {
  RunProfiled("start,event=cpu,file=" + Path("out.jfr"), {"BusyLoop", "1", "100"});
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
}

TEST_P(LaunchTest, PrintsARelativeFileAsAnAbsolutePath) {
  const ProcessResult run = RunProfiled("start,event=cpu,file=rel.jfr", {"BusyLoop", "1", "100"});
  EXPECT_EQ(AgentLog(run.err).LinesWith(Path("rel.jfr")), 2) << run.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre("rel.jfr"));
}

TEST_P(LaunchTest, PatternsInTheFileNameAreExpanded) {
  ProcessSpec spec =
      Java({"BusyLoop", "1", "100"}, {AgentArgument("start,event=cpu,file=%p-%t-%{GREETING}.jfr")});
  spec.env = {{"GREETING", "there"}};
  const ProcessResult run = RunProcess(spec);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre(MatchesRegex("[0-9]+-[-0-9T_:.]+-there.jfr")));
}

TEST_P(LaunchTest, TheRecordingDescribesItsJvm) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,interval=5ms,file=" + Path("out.jfr"), {"BusyLoop", "1", "200"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  EXPECT_GE(recording.Count("jdk.ActiveRecording"), 1);
  EXPECT_GE(recording.Count("jdk.OSInformation"), 1);
  EXPECT_GE(recording.Count("jdk.CPUInformation"), 1);
  const std::vector<Event> jvm = recording.OfType("jdk.JVMInformation");
  ASSERT_FALSE(jvm.empty());
  EXPECT_THAT(jvm[0].Text("jvmArguments"), HasSubstr("-Xmx256m"));
  EXPECT_THAT(jvm[0].Text("javaArguments"), HasSubstr("BusyLoop 1 200"));
  EXPECT_GT(jvm[0].Number("pid"), 0);

  std::string java_version;
  for (const Event& property : recording.OfType("jdk.InitialSystemProperty")) {
    if (property.Text("key") == "java.vm.specification.version") {
      java_version = property.Text("value");
    }
  }
  EXPECT_EQ(java_version, std::to_string(jdk().major));

  bool has_libjvm = false;
  for (const Event& library : recording.OfType("jdk.NativeLibrary")) {
    const bool is_libjvm = library.Text("name").find("libjvm.so") != std::string::npos;
    has_libjvm |= is_libjvm;
    if (is_libjvm) {
      EXPECT_GE(library.Text("buildId").size(), 16u);
    }
  }
  EXPECT_TRUE(has_libjvm);
}

TEST_P(LaunchTest, TheRecordingStatesTheIntervalInEffect) {
  RunProfiled("start,event=cpu,interval=5ms,file=" + Path("out.jfr"), {"BusyLoop", "1", "100"});
  const Recording recording = ReadSound("out.jfr");
  std::vector<std::string> periods;
  for (const Event& setting : recording.OfType("jdk.ActiveSetting")) {
    if (setting.Text("name") == "period") periods.push_back(setting.Text("value"));
  }
  EXPECT_THAT(periods, testing::Contains("5 ms"));
}

TEST_P(LaunchTest, TheFileContainsNoSecretsOfTheCommandLine) {
  const std::string secret = "hunter2";
  ProcessSpec spec = Java({"Hello", "0", "--password", secret, "--db-token=" + secret},
                          {"-Dmy.api.key=" + secret, "-Durl=jdbc://me:" + secret + "@host/db",
                           AgentArgument("start,event=cpu,file=" + Path("out.jfr"))});
  spec.env = {{"JDK_JAVA_OPTIONS", "-Dservice.secret=" + secret}};
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  EXPECT_THAT(recording.OfType("jdk.JVMInformation").at(0).Text("jvmArguments"),
              HasSubstr("-Dmy.api.key=[REDACTED]"));
  EXPECT_THAT(FileContent(Path("out.jfr")), Not(HasSubstr(secret)));
}

TEST_P(LaunchTest, AnUnwritableFileLeavesTheProgramAlone) {
  for (const std::string& file :
       {Path("missing/out.jfr"), folder(), std::string("/proc/out.jfr")}) {
    SCOPED_TRACE(file);
    const ProcessResult run = RunProfiled("start,event=cpu,file=" + file, {"Hello", "7"});
    EXPECT_EQ(run.exit_code, 7) << run.Describe();
    EXPECT_EQ(run.out, "hello\n");
    const AgentLog log(run.err);
    const std::string place = file == folder() ? file : file.substr(0, file.rfind('/'));
    EXPECT_THAT(log.lines(), ElementsAre(HasSubstr(place)));
    EXPECT_THAT(FilesInFolder(), IsEmpty());
  }
}

TEST_P(LaunchTest, WritesTheAnswerToItsFile) {
  const std::string options = ",answer=" + Path("answer") + ",file=" + Path("out.jfr");
  const ProcessResult run = RunProfiled("start,event=cpu" + options, {"BusyLoop", "1", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(FileContent(Path("answer")), HasSubstr(Path("out.jfr")));
  EXPECT_THAT(AgentLog(run.err).lines(), SizeIs(1)) << "of the stop alone: " << run.err;
  // An existing file is not overwritten. In this case the answer is a line in the log.
  const ProcessResult again = RunProfiled("start,event=cpu" + options, {"BusyLoop", "1", "300"});
  EXPECT_THAT(again.err, HasSubstr("the answer cannot be delivered")) << again.Describe();
}

TEST_P(LaunchTest, WritesLinesToTheLogFile) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,file=" + Path("out.jfr") + ",log=" + Path("agent.log"),
                  {"BusyLoop", "1", "100"});
  EXPECT_THAT(AgentLog(run.err).lines(), IsEmpty());
  EXPECT_THAT(AgentLog(FileContent(Path("agent.log"))).lines(), SizeIs(2));
}

TEST_P(LaunchTest, LinesBelowTheLogLevelAreNotPrinted) {
  const ProcessResult run = RunProfiled("start,event=cpu,loglevel=error,file=" + Path("out.jfr"),
                                        {"BusyLoop", "1", "100"});
  EXPECT_THAT(AgentLog(run.err).lines(), IsEmpty());
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
}

TEST_P(LaunchTest, PrintsVersionAndHelpOrWritesThemToAFile) {
  for (const std::string command : {"version", "help"}) {
    SCOPED_TRACE(command);
    const ProcessResult shown = RunProfiled(command, {"Hello", "7"});
    EXPECT_EQ(shown.exit_code, 7) << shown.Describe();
    EXPECT_THAT(shown.out + shown.err, AllOf(HasSubstr("jprof"), HasSubstr("hello")));

    const ProcessResult written =
        RunProfiled(command + ",file=" + Path(command + ".txt"), {"Hello", "7"});
    EXPECT_EQ(written.exit_code, 7) << written.Describe();
    EXPECT_THAT(FileContent(Path(command + ".txt")), HasSubstr("jprof"));
  }
}

TEST_P(LaunchTest, HelpNamesEveryOption) {
  RunProfiled("help,file=" + Path("help.txt"), {"Hello"});
  const std::string help = FileContent(Path("help.txt"));
  for (const std::string option : {"start", "stop", "version", "help", "event", "cpu", "wall",
                                   "interval", "file", "jstackdepth", "loglevel", "log"}) {
    EXPECT_TRUE(std::regex_search(help, std::regex("\\b" + option + "\\b"))) << option;
  }
}

}  // namespace
}  // namespace jprof::test
