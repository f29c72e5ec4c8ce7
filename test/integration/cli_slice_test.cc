// Slices (parts of a recording) of a real program's recording, made by jprof convert: they contain
// what was selected, and no sample is lost or counted twice.
#include <filesystem>
#include <fstream>

#include "integration/cli_fixture.h"
#include "support/text.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CliSliceTest : public CliServerTest {
 protected:
  void SetUp() override {
    CliServerTest::SetUp();
    const ProcessResult record =
        JprofOn(pid(), {"record", "-d", "1s", "-e", "wall,cpu", "-o", "a.jfr"});
    ASSERT_EQ(record.exit_code, 0) << record.Describe();
  }

  // Returns the collapsed stacks of a slice from standard output.
  std::string Slice(std::vector<std::string> options) const {
    options.insert(options.begin(), "convert");
    options.insert(options.end(), {"a.jfr", "-"});
    return Jprof(options).out;
  }
};
JPROF_ON_NEWEST_JDK(CliSliceTest);

TEST_P(CliSliceTest, SlicesOfARealRecordingAddUp) {
  const int64_t whole = SumOfCounts(Slice({}));
  ASSERT_GT(whole, 0);
  EXPECT_EQ(SumOfCounts(Slice({"--until", "400ms"})) + SumOfCounts(Slice({"--from", "400ms"})),
            whole);
  EXPECT_EQ(
      SumOfCounts(Slice({"--include", "Server"})) + SumOfCounts(Slice({"--exclude", "Server"})),
      whole);
  EXPECT_EQ(SumOfCounts(Slice({"--reverse"})), whole);
  EXPECT_EQ(SumOfCounts(Slice({"--lines"})), whole);
  EXPECT_EQ(SumOfCounts(Slice({"-t", "*"})), whole);
  EXPECT_THAT(Slice({"--exclude", "Server"}), Not(HasSubstr("Server")));
}

TEST_P(CliSliceTest, CountsDuplicateSamplesOnce) {
  const int64_t whole = SumOfCounts(Slice({}));
  ASSERT_GT(whole, 0);
  std::filesystem::copy_file(Path("a.jfr"), Path("copy.jfr"));
  for (const char* other : {"copy.jfr", "./a.jfr"}) {
    const ProcessResult twice = Jprof({"convert", "a.jfr", other, "-"});
    EXPECT_EQ(SumOfCounts(twice.out), whole) << twice.Describe();
    EXPECT_THAT(twice.err, ContainsRegex(" chunks of '" + std::string(other) +
                                         "' are in 'a.jfr' too: each of them counts once"));
  }
}

TEST_P(CliSliceTest, ADumpNextToTheWholeRecordingAddsNothing) {
  ASSERT_EQ(JprofOn(pid(), {"start", "-e", "wall", "-o", Path("whole.jfr")}).exit_code, 0);
  const ProcessResult dump = JprofOn(pid(), {"dump"});
  ASSERT_EQ(dump.exit_code, 0) << dump.Describe();
  std::filesystem::copy_file(Path("whole.jfr"), Path("dump.jfr"));
  ASSERT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  const ProcessResult whole = Jprof({"convert", "whole.jfr", "-"});
  const ProcessResult both = Jprof({"convert", "dump.jfr", "whole.jfr", "-"});
  EXPECT_GT(SumOfCounts(whole.out), 0) << whole.Describe();
  EXPECT_EQ(SumOfCounts(both.out), SumOfCounts(whole.out)) << both.Describe();
}

TEST_P(CliSliceTest, TablesShowLines) {
  const auto has_line = ContainsRegex("[A-Za-z]\\.[A-Za-z]+:[1-9][0-9]*\n");
  for (const std::string view : {"hot", "tree"}) {
    EXPECT_THAT(Jprof({"view", view, "--limit", "0", "--lines", "a.jfr"}).out, has_line) << view;
    EXPECT_THAT(Jprof({"view", view, "--limit", "0", "a.jfr"}).out, Not(has_line)) << view;
  }
  for (const std::string format : {"flat", "tree"}) {
    EXPECT_THAT(Slice({"--lines", "--format", format}), has_line) << format;
    EXPECT_THAT(Slice({"--format", format}), Not(has_line)) << format;
  }
}

TEST_P(CliSliceTest, StatesAreThoseOfTheThreads) {
  // The event is named because a slice without samples of the first event would show the second
  // event.
  const std::string waiting = Slice({"-e", "wall", "--state", "sleeping+parked+in-object-wait"});
  EXPECT_THAT(waiting, HasSubstr("java.lang."));
  const int64_t running = SumOfCounts(Slice({"-e", "wall", "--state", "running"}));
  EXPECT_GT(SumOfCounts(waiting), 0);
  EXPECT_LE(SumOfCounts(waiting) + running, SumOfCounts(Slice({"-e", "wall"})));
  EXPECT_EQ(SumOfCounts(Slice({"-e", "cpu", "--state", "running"})),
            SumOfCounts(Slice({"-e", "cpu"})))
      << "who uses the CPU runs";
}

TEST_P(CliSliceTest, CompressionAndPipesKeepTheResult) {
  const std::string whole = Slice({});
  EXPECT_THAT(Jprof({"convert", "a.jfr", "a.collapsed.gz"}), Printed("a.collapsed.gz: "));
  const auto in_shell = [this](const std::string& command) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", command};
    spec.working_directory = folder();
    return RunProcess(spec);
  };
  const std::string jprof = JprofSpec({}).argv[0];
  EXPECT_EQ(in_shell("gzip -dc a.collapsed.gz").out, whole);
  EXPECT_EQ(in_shell("gzip -c a.jfr | " + jprof + " convert - -").out, whole);
  EXPECT_EQ(in_shell(jprof + " convert - /dev/stdout < a.jfr").out, whole);
}

TEST_P(CliSliceTest, ReportsImpossibleSlicesInOneLine) {
  EXPECT_THAT(Jprof({"convert", "-t", "nobody", "a.jfr", "x.html"}),
              FailedWith(kFile, "--thread nobody selects 0"));
  EXPECT_THAT(Jprof({"convert", "--include", "(", "a.jfr", "-"}),
              FailedWith(kUsage, "--include '(' is not a regular expression"));
  EXPECT_THAT(Jprof({"convert", "--from", "soon", "a.jfr", "-"}),
              FailedWith(kUsage, "is not a time"));
  EXPECT_THAT(Jprof({"convert", "a.jfr", "b.jfr"}),
              FailedWith(kUsage, "'b.jfr' is a recording, and the name of the result is missing"));
  EXPECT_THAT(Jprof({"convert", "a.jfr", "x.svg"}), FailedWith(kUsage, "--format"));
  EXPECT_THAT(Jprof({"convert", "--format", "svg", "a.jfr", "x"}),
              FailedWith(kUsage, "unknown format 'svg'"));
  EXPECT_THAT(Jprof({"convert", "--reverse", "a.jfr", "x.pb.gz"}),
              FailedWith(kUsage, "--reverse is not for pprof"));
  EXPECT_THAT(Jprof({"convert", "-", "-", "x.html"}), FailedWith(kUsage, "given twice"));
}

class AgentSliceTest : public JvmTest {
 protected:
  // Returns the collapsed stacks that the agent makes of the given part of its recording.
  std::string Part(const std::string& part) const {
    const std::string file = Path("part.collapsed");
    const ProcessResult run = RunProfiled(
        "start,event=wall,cpu,wall=10ms," + part + ",file=" + file, {"Sleepers", "3", "500"});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return FileContent(file);
  }
};
JPROF_ON_EVERY_JDK(AgentSliceTest);

TEST_P(AgentSliceTest, TheAgentConvertsTheRequestedPart) {
  const std::string parked = Part("thread=sleeper-*,state=parked,lines");
  EXPECT_THAT(parked, ContainsRegex("Sleepers.park:[0-9]+"));
  EXPECT_THAT(parked, AllOf(Not(HasSubstr("Sleepers.sleep")), Not(HasSubstr("Sleepers.await"))));
  const std::string one = Part("thread=sleeper-0,until=1h,total=samples,reverse");
  EXPECT_THAT(one, AllOf(HasSubstr("Sleepers.sleep"), Not(HasSubstr("Sleepers.park"))));
  EXPECT_THAT(one, ContainsRegex("Thread.run(_.[0-9a-z].)? [0-9]+\n"));
}

TEST_P(AgentSliceTest, RefusesInvalidPartsAndKeepsTheRecording) {
  const ProcessResult whole =
      RunProfiled("start,thread=main,file=" + Path("a.jfr"), {"Sleepers", "1", "100"});
  EXPECT_THAT(whole.err, HasSubstr("'thread=main' is for .html, .collapsed or .txt"));
  EXPECT_FALSE(std::ifstream(Path("a.jfr")).good());
  const ProcessResult none =
      RunProfiled("start,wall,thread=sleeper-0,from=100s,file=" + Path("none.collapsed"),
                  {"Sleepers", "1", "300"});
  EXPECT_THAT(none.err, AllOf(HasSubstr("--from 100s selects 0"), HasSubstr(".jfr")));
}

}  // namespace
}  // namespace jprof::test
