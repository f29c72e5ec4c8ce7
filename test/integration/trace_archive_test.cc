// trace= and archives of classes (CDS): archived classes are traced, and probes do not get into an
// archive.
#include <map>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kFirstWithSafeArchives = 21;  // as in engines/trace/retransformation.cc

class TraceArchiveTest : public CliTest {
 protected:
  // The program with exact truth, from a jar: archives take no folders. `command`: for the agent,
  // which the program then loads.
  ProcessResult Run(const std::vector<std::string>& jvm_arguments,
                    const std::string& command = "") const {
    ProcessSpec spec = Java({}, jvm_arguments);
    const std::vector<std::string> program = {
        "-cp", Path("app.jar"), "TracedCalls", "1000", "2", "0", "0"};
    spec.argv.insert(spec.argv.end(), program.begin(), program.end());
    if (!command.empty()) {
      spec.argv.insert(spec.argv.end(), {AgentLibrary(), NativeLibraryFolder(), command});
    }
    return RunProcess(spec);
  }

  void MakeJar() const {
    ProcessSpec jar;
    jar.argv = {jdk().Tool("jar"), "cf", Path("app.jar"), "-C", WorkloadClasses(), "."};
    const ProcessResult made = RunProcess(jar);
    ASSERT_EQ(made.exit_code, 0) << made.Describe();
  }

  std::string Tracing(const std::string& file) const {
    return "start,trace=TracedCalls*.*,file=" + Path(file);
  }

  void ExpectExactCounts(const ProcessResult& run, const std::string& file) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    std::map<std::string, int64_t> calls;
    for (const Event& timing : ReadSound(file).OfType("jdk.MethodTiming")) {
      calls[timing.Text("method.name")] += timing.Number("invocations");
    }
    for (const char* method : {"recurse", "lock", "fail", "share", "compareTo"}) {
      EXPECT_EQ(calls[method], truth.Number(std::string("calls.") + method)) << method;
    }
  }
};
JPROF_ON_JDKS_FROM(13, TraceArchiveTest);  // -XX:ArchiveClassesAtExit

TEST_P(TraceArchiveTest, ArchivedClassesAreTracedAndTracedClassesAreNotArchivedWithProbes) {
  MakeJar();
  const std::string plain = Path("plain.jsa");
  const ProcessResult dumped = Run({"-XX:ArchiveClassesAtExit=" + plain});
  ASSERT_EQ(dumped.exit_code, 0) << dumped.Describe();
  ExpectExactCounts(Run({"-XX:SharedArchiveFile=" + plain, AgentArgument(Tracing("launched.jfr"))}),
                    "launched.jfr");
  const ProcessResult attached =
      Run({"-XX:SharedArchiveFile=" + plain, "-Xlog:class+load"}, Tracing("attached.jfr"));
  ExpectExactCounts(attached, "attached.jfr");
  EXPECT_THAT(attached.out, ContainsRegex("TracedCalls source: shared objects file"));

  // The JVM does not dump at all with an agent that was there at launch.
  const std::string probed = Path("probed.jsa");
  const ProcessResult dumping = Run({"-XX:ArchiveClassesAtExit=" + probed}, Tracing("dumping.jfr"));
  if (jdk().major < kFirstWithSafeArchives) {
    EXPECT_EQ(dumping.exit_code, 0) << dumping.Describe();
    EXPECT_THAT(dumping.out, HasSubstr("this JVM records its classes for an archive"));
  } else {
    ExpectExactCounts(dumping, "dumping.jfr");
  }
  const ProcessResult later = Run({"-XX:SharedArchiveFile=" + probed});
  ASSERT_EQ(later.exit_code, 0) << later.Describe();
  EXPECT_EQ(ProgramOutput(later.out).Number("calls.share"), 2000);
  EXPECT_THAT(later.err, Not(HasSubstr("Exception")));
}

}  // namespace
}  // namespace jprof::test
