// jprof validate --agct: JVMs that AsyncGetCallTrace kills.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// Deeper than the stacks of the JDK, for example while classes are loaded.
constexpr int kDepth = 400;
// The number of frames while FixedDepth.spin runs, and at the entry of FixedDepth.leaf, where probes
// have called the agent.
constexpr int kFramesInSpin = 1 + kDepth + 1;
constexpr int kFramesAtLeaf = kFramesInSpin + 1 + 2;

// A JVM that has died in AsyncGetCallTrace, as test/native/deadly_agct.cc has noted it.
struct Death {
  std::string pc;
  std::string thread;
  std::string process;
};

int64_t Sum(const std::map<std::string, int64_t>& counts) {
  int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  return lines;
}

class AgctDeathTest : public CliTest {
 protected:
  // Validates FixedDepth, which runs until the file of deaths has so many lines. At this place and
  // this number of frames, AsyncGetCallTrace kills the first `deaths` JVMs.
  ProcessResult Validate(int deaths, const std::string& place, int frames, int lines,
                         std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {"validate", "--agct", "--fail-above", "100%", "-o", "out.jfr"});
    options.emplace_back("--");
    for (const std::string& word :
         Java({"FixedDepth", std::to_string(kDepth), Path("deaths"), std::to_string(lines)},
              {"-XX:-CreateCoredumpOnCrash"})
             .argv) {
      options.push_back(word);
    }
    ProcessSpec spec = JprofSpec(options);
    spec.working_directory = folder();
    spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/libdeadly_agct.so");
    spec.env.emplace_back("JPROF_AGCT_DEATHS", std::to_string(deaths) + ' ' + place + ' ' +
                                                   std::to_string(frames) + ' ' + Path("deaths"));
    return RunProcess(spec);
  }

  // Returns the deaths in their order.
  std::vector<Death> Deaths() const {
    std::vector<Death> deaths;
    std::istringstream text(Content("deaths"));
    for (Death death; text >> death.pc >> death.thread >> death.process;) deaths.push_back(death);
    return deaths;
  }

  // Returns the events of this type in the recordings of all JVMs that count killed JVMs.
  std::vector<Event> Killed(const std::string& type) const {
    std::vector<Event> killed;
    for (const std::string& file : FilesInFolder()) {
      if (!file.ends_with(".jfr")) continue;
      for (const Event& event : ReadSound(file).OfType(type)) {
        if (event.Text("verdict") == "killed the JVM") killed.push_back(event);
      }
    }
    return killed;
  }
};
JPROF_ON_EVERY_JDK(AgctDeathTest);

TEST_P(AgctDeathTest, AKilledJvmSaysItsStackAndTheCommandRunsAgain) {
  const ProcessResult run = Validate(2, "signal", kFramesInSpin, 2);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, AllOf(HasSubstr("\nsum "), HasSubstr("killed the JVM 2")));
  const std::vector<Death> deaths = Deaths();
  ASSERT_THAT(deaths, SizeIs(2)) << run.Describe();
  for (const Death& death : deaths) {
    EXPECT_THAT(run.err, HasSubstr("killed process " + death.process + " in thread " +
                                   death.thread + " java, at 0x" + death.pc + " in "));
  }
  const std::vector<Event> counts = Killed("profiler.StackValidation");
  ASSERT_THAT(counts, SizeIs(2));
  EXPECT_EQ(counts.front().Text("walker"), "AsyncGetCallTrace");
  EXPECT_EQ(counts.front().Text("layer"), "signal");
  EXPECT_EQ(counts.front().Text("wrong"), "true");
  const std::vector<Event> examples = Killed("profiler.StackDifference");
  ASSERT_THAT(examples, SizeIs(2));
  for (const Event& example : examples) {
    const std::vector<std::string> frames = Lines(example.Text("trueStack"));
    ASSERT_THAT(frames, SizeIs(16));
    EXPECT_THAT(frames.front(), StartsWith("FixedDepth.spin(J)V @ "));
    EXPECT_THAT(std::vector(frames.begin() + 1, frames.end()),
                Each(StartsWith("FixedDepth.down(JI)V @ ")));
  }
  std::vector<std::string> files = FilesInFolder();
  std::erase_if(files, [](const std::string& file) { return file.starts_with("hs_err"); });
  EXPECT_THAT(files, SizeIs(4)) << "three recordings and the file of the deaths";
}

TEST_P(AgctDeathTest, ACallAtTheEntryOfAMethodSaysItsStack) {
  const ProcessResult run = Validate(1, "entry", kFramesAtLeaf, 1);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err,
              HasSubstr("killed process " + Deaths().at(0).process + " in thread " +
                        Deaths().at(0).thread + " java, at the entry of FixedDepth.leaf(J)J;"));
  const std::vector<Event> examples = Killed("profiler.StackDifference");
  ASSERT_THAT(examples, SizeIs(1));
  EXPECT_EQ(examples.front().Text("layer"), "safepoint");
  EXPECT_THAT(examples.front().Text("trueStack"),
              AllOf(StartsWith("FixedDepth.leaf(J)J @ "), HasSubstr("\nFixedDepth.spin(J)V @ ")));
}

TEST_P(AgctDeathTest, TheCommandRunsAgainUntilTheDurationIsOver) {
  const ProcessResult run = Validate(1000, "signal", kFramesInSpin, 0, {"-d", "500ms"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  // No ten JVMs start and die within half a second.
  EXPECT_THAT(run.err, Not(HasSubstr("is not run again")));
  EXPECT_THAT(Killed("profiler.StackValidation"), SizeIs(Deaths().size()));
}

TEST_P(AgctDeathTest, TheCommandDoesNotRunAgainAfterTenDeaths) {
  const ProcessResult run = Validate(1000, "signal", kFramesInSpin, 1000);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err, AllOf(HasSubstr("is not run again"), HasSubstr("10 of its JVMs")));
  EXPECT_THAT(run.out, AllOf(HasSubstr("killed the JVM 10"), Not(HasSubstr("sum "))));
  EXPECT_THAT(Deaths(), SizeIs(10));
}

TEST_P(AgctDeathTest, AJvmThatAnotherProcessKillsIsNotCounted) {
  const ProcessResult run = Validate(1, "kill", kFramesInSpin, 1);
  EXPECT_THAT(Deaths(), SizeIs(1)) << run.Describe();
  EXPECT_THAT(run.err, AllOf(HasSubstr("ended with signal 9"), Not(HasSubstr("killed process"))));
  EXPECT_THAT(run.out, Not(AnyOf(HasSubstr("sum "), HasSubstr("killed the JVM"))));
}

// Every other difference of AsyncGetCallTrace has another verdict.
TEST_P(AgctDeathTest, EachErrorIsCountedForTheCodeThatWasInterrupted) {
  const ProcessResult run = Validate(0, "swap", kFramesInSpin, 100);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  const auto swapped = static_cast<int64_t>(Deaths().size());
  EXPECT_GE(swapped, 100);
  std::map<std::string, int64_t> stacks;
  const Recording recording = ReadSound("out.jfr");
  for (const Event& event : recording.OfType("profiler.StackValidation")) {
    if (event.Text("verdict") != "wrong order") continue;
    EXPECT_EQ(event.Text("walker"), "AsyncGetCallTrace");
    stacks[event.Text("cause")] += event.Number("stacks");
  }
  // A signal just before the method is pushed, or after it is popped, finds it in its probes only.
  EXPECT_LE(Sum(stacks), swapped);
  EXPECT_GE(Sum(stacks), swapped - 2);
  // The method also runs in the interpreter, and to compile and replace it, the VM runs.
  EXPECT_GT(2 * (stacks["FixedDepth.spin(J)V"] + stacks["Interpreter"]), swapped) << run.out;
  for (const Event& event : recording.OfType("profiler.StackDifference")) {
    if (event.Text("verdict") != "wrong order") continue;
    EXPECT_GT(stacks[event.Text("cause")], 0);
    EXPECT_THAT(event.Text("trueStack"), StartsWith("FixedDepth.spin(J)V"));
    EXPECT_THAT(event.Text("walkedStack"), StartsWith("FixedDepth.down(JI)V"));
  }
  EXPECT_THAT(run.out, AllOf(HasSubstr(" wrong stacks of all walkers\n"),
                             HasSubstr("AsyncGetCallTrace, signal: wrong order, "),
                             HasSubstr("  true stack\n    FixedDepth.spin(J)V\n"),
                             HasSubstr("  walked stack\n    FixedDepth.down(JI)V @ ")));
}

}  // namespace
}  // namespace jprof::test
