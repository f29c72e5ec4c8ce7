// trace= on invalid or unusual classes. Each of them is named in a warning, and the calls to all
// other classes are counted exactly.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

int64_t CallsOf(const Recording& recording, const std::string& method) {
  int64_t calls = 0;
  for (const Event& timing : recording.OfType("jdk.MethodTiming")) {
    if (timing.Text("method.name") == method) calls += timing.Number("invocations");
  }
  return calls;
}

class TraceFaultsTest : public CliTest {};
JPROF_ON_EVERY_JDK(TraceFaultsTest);

TEST_P(TraceFaultsTest, ClassesThatCannotBeProbedAreNamedAndFailOrRunAsBefore) {
  const ProcessResult run =
      RunProcess(Java({"TraceFaults", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr")}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  for (const char* when : {"before", "during", "unlinked", "late", "alone", "after"}) {
    EXPECT_EQ(truth.Number(std::string("refused.") + when), 1) << when;
  }
  EXPECT_EQ(truth.Number("versions"), jdk().major);  // class file versions 45 to 44 + the release

  const Recording recording = ReadSound("out.jfr");
  for (const char* method : {"fits", "f", "fine", "containsValue"}) {
    EXPECT_EQ(CallsOf(recording, method), truth.Number(std::string("calls.") + method)) << method;
  }
  for (const Event& latency : recording.OfType("profiler.MethodLatency")) {
    const bool fails = latency.Text("method.name") == "fine";
    EXPECT_EQ(latency.Number("exceptions"), fails ? truth.Number("exceptions.fine") : 0);
  }
  // An unlinked class would get its probes when it is linked, which never happens to made.Unlinked.
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("made.Large.tooLong()I is not probed: it would exceed 64 KB of code"),
                    ContainsRegex("stay in made.Late: the JVM could not link it \\("),
                    Not(HasSubstr("made.Broken")), Not(HasSubstr("made.Unlinked")),
                    Not(HasSubstr("made.Alone")), Not(HasSubstr("no class that is loaded"))));
  if (jdk().major < 15) return;  // no hidden classes before JDK 15
  EXPECT_THAT(run.out, ContainsRegex("StormBurner.[^ ]* is not probed: the JVM keeps it as it is"));
}

}  // namespace
}  // namespace jprof::test
