// The example profilers (examples/), which use the stack walking API: each draws a flame graph.
#include <fstream>
#include <sstream>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class AsgstExamplesTest : public JvmTest {
 protected:
  // Runs the program with the profiler. Expects a flame graph with the methods of the program, and
  // at least `fewest` samples.
  void Draws(const std::string& profiler, long fewest) {
    const std::string folder = NativeLibraryFolder() + "/../../examples";
    ProcessSpec spec =
        Java({"-cp", folder, "MathParser"},
             {"-agentpath:" + folder + "/lib" + profiler + ".so=" + Path("flames.html")});
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, testing::HasSubstr("expressions="));
    const size_t samples = run.out.find("samples=");
    ASSERT_NE(samples, std::string::npos) << run.Describe();
    EXPECT_GE(std::stol(run.out.substr(samples + 8)), fewest) << run.out;
    const std::string page = TextOf(Path("flames.html"));
    for (const char* name : {"MathParser.main", "MathParser.generate", "MathParser.parseSum",
                             "MathParser.parseProduct", "MathParser.parseFactor"}) {
      EXPECT_THAT(page, testing::HasSubstr(name));
    }
    EXPECT_THAT(page, testing::Not(testing::HasSubstr("unknown")));
    // The root of the tree is the entry of a thread.
    EXPECT_LT(page.find("MathParser.main"), page.find("MathParser.parseFactor"));
  }
};
JPROF_ON_JDKS_FROM(11, AsgstExamplesTest);

TEST_P(AsgstExamplesTest, AProfilerInTheSignalHandlerDrawsAFlameGraph) {
  Draws("handler_profiler", 40);
}

TEST_P(AsgstExamplesTest, AProfilerWithQueuesDrawsAFlameGraph) { Draws("queue_profiler", 40); }

TEST_P(AsgstExamplesTest, AProfilerInAThreadOfItsOwnDrawsAFlameGraph) {
  Draws("thread_profiler", 20);
}

}  // namespace
}  // namespace jprof::test
