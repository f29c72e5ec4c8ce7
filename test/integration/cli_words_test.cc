// The words that jprof understands, and the words of its answers, which are the user's own.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// jprof refuses these arguments before it asks a JVM, so that they are wrong on every JDK.
class CliWordsTest : public CliTest {};
JPROF_ON_EVERY_JDK(CliWordsTest);

TEST_P(CliWordsTest, AcceptsEveryUsualSpellingOfVersionAndHelp) {
  const ProcessResult version = Jprof({"version"});
  EXPECT_THAT(version, Printed("jprof "));
  for (const char* word : {"--version", "-v"}) EXPECT_EQ(Jprof({word}).out, version.out) << word;
  const ProcessResult help = Jprof({"help"});
  EXPECT_THAT(help, Printed("  record "));
  for (const char* word : {"--help", "-h"}) EXPECT_EQ(Jprof({word}).out, help.out) << word;
  const ProcessResult record = Jprof({"help", "record"});
  EXPECT_THAT(record, AllOf(Printed("jprof record [options] TARGET"), Printed("--duration TIME")));
  EXPECT_EQ(Jprof({"record", "--help"}).out, record.out);
  EXPECT_THAT(Jprof({"help", "rekord"}), FailedWith(kUsage, "did you mean 'record'"));
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string answer;
};

TEST_P(CliWordsTest, NamesMistakesInTheUsersWords) {
  const std::string events =
      "unknown event 'nativemem': known are cpu, ctimer, perf, itimer, wall, alloc, lock";
  const Mistake mistakes[] = {
      {{"record", "-e", "nativemem", "1"}, events},
      {{"record", "-e", "cpu,nativemem", "1"}, events},
      {{"record", "-e", "wall,cpu,nativemem", "1"}, events},
      {{"record", "1", "-d"}, "'-d' has no value: write -d TIME"},
      {{"record", "1", "5s"}, "unexpected argument '5s': write jprof record [options] TARGET"},
      {{"stop", "1", "-d", "5s"}, "jprof stop has no option '-d', which is one of jprof record"},
      {{"record", "-e", "cpu", "-e", "wall", "1"},
       "--event is given twice, 'cpu' and 'wall': write --event cpu,wall"},
      {{"record", "-d", "0", "1"}, "--duration must be greater than 0"},
      {{"record", "-d", "0s", "1"}, "--duration must be greater than 0"},
      {{"record", "-i", "5", "1"},
       "'--interval 5' is out of range for cpu: accepted is 100us to 1h; without unit intervals "
       "are nanoseconds"},
      {{"record", "--chunksize", "1", "1"},
       "'--chunksize 1' is out of range: accepted is 256k to 80m; without unit sizes are bytes"},
      {{"record", "-e", "wall", "--kernel", "1", "1"},
       "'--kernel 1' is for CPU samples: add --cpu"},
      {{"record", "--cpu", "--wall", "-i", "5ms", "1"}, "write '--cpu=5ms or --wall=5ms'"},
      {{"start", "--maxage", "1h", "1"}, "'--maxage 1h' removes whole files: it needs --loop TIME"},
      {{"start", "-o", "a\nb.jfr", "1"}, "control character in '--output "},
      {{"record", "--timeout", "5s", "1"}, "which is one of jprof start"},
      {{"record"}, "TARGET is missing"},
      {{"4711"}, "write jprof record 4711"},
      {{"-d", "30", "-f", "out.html", "1"}, "write jprof record -d 30 -f out.html 1"},
      {{}, "the command is missing"},
  };
  for (const Mistake& mistake : mistakes) {
    const ProcessResult result = Jprof(mistake.arguments);
    EXPECT_THAT(result, FailedWith(kUsage, mistake.answer));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST_P(CliWordsTest, NamesOurWordForWordsOfAsyncProfiler) {
  const Mistake words[] = {
      {{"record", "-t", "1"}, "choose them in the page of -o NAME.html"},
      {{"record", "-o", "collapsed", "-f", "x", "1"}, "write -o NAME.collapsed"},
      {{"record", "-o", "flamegraph", "1"}, "write -o NAME.html"},
      {{"record", "--title", "x", "1"}, "the file's name, which -o gives"},
      {{"record", "-I", "x", "1"}, "-o NAME.collapsed"},
      {{"record", "-X", "x", "1"}, "-o NAME.collapsed"},
      {{"record", "--log", "debug", "1"}, "write --loglevel debug"},
      {{"record", "--filter", "17,20-29", "1"}, "write --filter 17+20-29"},
      {{"resume", "1"}, "start another"},
  };
  for (const Mistake& word : words) {
    EXPECT_THAT(Jprof(word.arguments), FailedWith(kUsage, word.answer));
  }
}

class CliSpeechTest : public CliServerTest {};
JPROF_ON_EVERY_JDK(CliSpeechTest);

TEST_P(CliSpeechTest, AcceptsWordsOfAsyncProfilerWithTheSameMeaning) {
  EXPECT_THAT(JprofOn(pid(), {"collect", "-d", "1", "-e", "wall", "-i", "5000000", "-j", "64", "-f",
                              "out.collapsed"}),
              Printed(Path("out.collapsed")));
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Server"));
  EXPECT_THAT(JprofOn(pid(), {"start", "--wall", "5ms", "-L", "warn", "--file", "two.jfr"}),
              Printed("wall every 5 ms to " + Path("two.jfr")));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
}

// Each event of a list can have its interval in an option of its own (--wall=20ms).
TEST_P(CliSpeechTest, AcceptsAnIntervalForEachEvent) {
  EXPECT_THAT(JprofOn(pid(), {"start", "-e", "wall,ctimer", "--wall=20ms", "-o", "out.jfr"}),
              AllOf(Printed("cpu every 10 ms by thread timers"), Printed("wall every 20 ms")));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
}

TEST_P(CliSpeechTest, NamesTheRunningRecordingWithItsStartAndEnd) {
  EXPECT_EQ(JprofOn(pid(), {"start", "-o", "out.jfr"}).exit_code, 0);
  const std::string stop = "the command stop ends it: jprof stop " + std::to_string(pid());
  for (const std::string command : {"start", "record"}) {
    const ProcessResult refused = JprofOn(pid(), {command, "-o", "other.jfr"});
    EXPECT_THAT(refused, FailedWith(kRefused, "already recording to " + Path("out.jfr")));
    EXPECT_THAT(refused, FailedWith(kRefused, " s ago); " + stop));
  }
  const ProcessResult status = JprofOn(pid(), {"status"});
  EXPECT_THAT(status, AllOf(Printed("since     "), Printed(" s ago)"), Printed(" Java, "),
                            Printed("found     "), Printed(" at the start")));
  EXPECT_THAT(status.out, Not(HasSubstr("records")));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
}

TEST_P(CliSpeechTest, AcceptsPathsWithCommasEqualsSignsAndQuotes) {
  for (const std::string name : {"a,b.jfr", "c=d,wall.jfr", "'e',\"f\".jfr", "g, answer=h.jfr"}) {
    EXPECT_THAT(JprofOn(pid(), {"start", "-o", name, "--log", "log,1"}), Printed(Path(name)));
    EXPECT_THAT(JprofOn(pid(), {"stop"}), Printed(Path(name)));
    EXPECT_THAT(JprofOn(pid(), {"record", "-d", "100ms", "-o", "r" + name}),
                Printed(Path("r" + name)));
    ReadSound(name);
    ReadSound("r" + name);
  }
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "i,j.collapsed"}), Printed(Path("i,j.collapsed")));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("i,j.collapsed")));
  EXPECT_TRUE(std::filesystem::exists(Path("log,1")));
}

// Values that contain the separators of the agent's option string are quoted in it.
TEST_P(CliSpeechTest, TheAgentTakesQuotedValues) {
  EXPECT_TRUE(Attach(pid(), "start,file='" + Path("a,b.jfr") + "',wall").Accepted());
  EXPECT_TRUE(Attach(pid(), "stop").Accepted());
  ReadSound("a,b.jfr");
}

// The JVM runs as a user that may not write to the folder `roots`.
TEST_P(CliWordsTest, NamesTheJvmThatMayNotWriteAndTheFile) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can start a JVM of another user";
  ProcessSpec spec = Java({"Server", "1", "0"});
  spec.argv.insert(spec.argv.begin(), {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups"});
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  ASSERT_EQ(chmod(folder().c_str(), 0755), 0);
  ASSERT_EQ(mkdir(Path("roots").c_str(), 0755), 0);
  for (const std::string name : {"roots/out.jfr", "roots/out.html"}) {
    const ProcessResult refused = JprofOn(server.value().pid(), {"start", "-o", name});
    EXPECT_THAT(refused, FailedWith(kRefused, "cannot create " + Path(name) + ": Permission"));
  }
}

TEST_P(CliSpeechTest, NamesUnwritableFilesAsRequested) {
  std::filesystem::create_directory(Path("folder.jfr"));
  for (const std::string command : {"start", "record"}) {
    EXPECT_THAT(JprofOn(pid(), {command, "-o", "missing/out.jfr"}).err,
                AllOf(HasSubstr(Path("missing")), Not(HasSubstr(".open"))));
    EXPECT_THAT(
        JprofOn(pid(), {command, "-o", "folder.jfr"}).err,
        AllOf(HasSubstr("'" + Path("folder.jfr") + "' is a folder"), Not(HasSubstr("write("))));
  }
}

}  // namespace
}  // namespace jprof::test
