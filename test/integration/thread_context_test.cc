// Trace contexts (jprof.ThreadContext): each sample carries the one that its thread had set.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr int kThreads = 2;

// As Contexts.mix.
int64_t Mix(int64_t span) {
  const auto bits = static_cast<uint64_t>(span);
  const uint64_t mixed = (bits ^ bits >> 32) * 0x9E3779B97F4A7C15ULL;
  return static_cast<int64_t>(mixed ^ mixed >> 29);
}

// The N of the method spanN that is in the stack; 0: in none(); -1: in neither.
int MarkerOf(const Event& sample) {
  for (const Frame& frame : sample.frames) {
    if (frame.method == "Contexts.none") return 0;
    if (frame.method.starts_with("Contexts.span")) return frame.method.back() - '0';
  }
  return -1;
}

class ContextTest : public JvmTest {
 protected:
  static std::vector<std::string> Program(const std::vector<std::string>& arguments) {
    std::vector<std::string> program = {"-cp", ContextClasses(), "Contexts"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return program;
  }

  std::vector<Event> Samples(const std::string& options,
                             const std::vector<std::string>& arguments) {
    const ProcessResult run =
        RunProfiled("start," + options + ",file=" + Path("out.jfr"), Program(arguments));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_EQ(ProgramOutput(run.out).Number("active"), 1);
    std::vector<Event> samples = ReadSound("out.jfr").events();
    std::erase_if(samples, [](const Event& event) {
      return event.type != kExecutionSample && event.type != kWallClockSample;
    });
    return samples;
  }
};
JPROF_ON_EVERY_JDK(ContextTest);

void ExpectOwnContext(const Event& sample, int marker) {
  const int64_t span = sample.Number("spanId");
  EXPECT_EQ(span & 15, marker) << sample.type << ' ' << std::hex << span;
  EXPECT_EQ(sample.Number("localRootSpanId"), marker == 0 ? 0 : Mix(span)) << std::hex << span;
  if (marker == 0) {
    EXPECT_EQ(span, 0);
    return;
  }
  EXPECT_EQ(ThreadName(sample), "worker-" + std::to_string(span >> 4 & 0xfff));
}

TEST_P(ContextTest, EachSampleOfAMarkedMethodHasExactlyItsContext) {
  const std::vector<Event> samples =
      Samples("cpu=1ms,wall=5ms,context", {std::to_string(kThreads), "1500"});
  int marked = 0;
  for (const Event& sample : samples) {
    const int marker = MarkerOf(sample);
    if (marker < 0) continue;
    ExpectOwnContext(sample, marker);
    ++marked;
  }
  EXPECT_GE(marked, 500);
}

}  // namespace
}  // namespace jprof::test
