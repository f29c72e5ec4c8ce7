// Profiles a JVM with each collector while it collects all the time.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class GcTest : public JvmTest {
 protected:
  void ExpectTruthWith(const std::string& collector) const {
    const ProcessResult run = RunProfiled("start,cpu=5ms,wall=10ms,file=" + Path("out.jfr"),
                                          {"AllocGc", "1000"}, {"-XX:+Use" + collector});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_GT(truth.Number("collections"), 0);
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(5));
    EXPECT_THAT(cpu["allocator"], IsWithin(0.05, truth.Number("cpu.allocator")));
    EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
    ExpectThreadOf(collector, cpu);
  }

 private:
  std::string ParallelThreads() const {
    if (jdk().major == 8) return "GC task thread#";
    return jdk().major < 15 ? "ParGC Thread#" : "GC Thread#";
  }

  // Expects CPU time of a thread of the collector. HotSpot names these threads; the kernel keeps
  // the first 15 characters of a name.
  void ExpectThreadOf(const std::string& collector,
                      const std::map<std::string, double>& cpu) const {
    // In JDK 21 to 23 the names of the threads of ZGC without generations start with X.
    const bool is_old_z = jdk().major >= 21 && jdk().major < 24;
    const std::map<std::string, std::string> prefix = {
        {"SerialGC", "VM Thread"},
        {"ParallelGC", ParallelThreads()},
        {"G1GC", "G"},                   // GC Thread#, G1 Conc#, ...
        {"ZGC", is_old_z ? "X" : "Z"}};  // ZWorker, ZDriver, ...
    const auto first = cpu.lower_bound(prefix.at(collector));
    ASSERT_NE(first, cpu.end());
    EXPECT_EQ(first->first.rfind(prefix.at(collector), 0), 0u) << first->first;
  }
};
JPROF_ON_EVERY_JDK(GcTest);

TEST_P(GcTest, Serial) { ExpectTruthWith("SerialGC"); }

TEST_P(GcTest, Parallel) { ExpectTruthWith("ParallelGC"); }

TEST_P(GcTest, G1) { ExpectTruthWith("G1GC"); }

TEST_P(GcTest, Z) {
  if (jdk().major < 15) GTEST_SKIP() << "ZGC is an experiment before JDK 15";
  ExpectTruthWith("ZGC");
}

}  // namespace
}  // namespace jprof::test
