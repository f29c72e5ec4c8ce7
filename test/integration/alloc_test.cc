// Compares sampled allocations with the bytes that the program knows: sums of sites, classes and
// threads.
#include <cmath>

#include "integration/alloc_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The JVM has the event from JDK 11 on.
JPROF_ON_JDKS_FROM(11, AllocTest);

TEST_P(AllocTest, BytesOfSitesAndClassesOf16BytesTo16MegabytesAreTheProgramsOnLongThreads) {
  const Recording recording =
      ExpectTrueSums("cpu=5ms,wall=20ms,alloc=256k", 256 * kKilo, {"long", "4", "768"});
  EXPECT_GT(recording.Count("jdk.ExecutionSample"), 0);
  EXPECT_GT(recording.Count("profiler.WallClockSample"), 0);
  EXPECT_EQ(recording.Count(kAllocationSample), recording.Count(kAllocated));
  EXPECT_EQ(recording.Sum(kAllocationSample, "weight"), recording.Sum(kAllocated, "weight"));
}

// Objects up to a kilobyte: all of them are in TLABs.
TEST_P(AllocTest, BytesOfSitesAndClassesOfSmallObjectsAreTheProgramsOnLongThreads) {
  ExpectTrueSums("alloc=128k", 128 * kKilo, {"short", "3", "262144"});
}

// The rate is bounded where the threads allocate more than 2 GB a second; the unit tests of
// RateBound check the rate.
TEST_P(AllocTest, BytesOfSitesAndClassesAreTheProgramsWhereTheRateOfSamplesIsBounded) {
  ExpectTrueSums("alloc", 512 * kKilo, {"short", "3", "1048576"});
}

TEST_P(AllocTest, BytesOfSitesAndClassesAreTheProgramsOnShortThreads) {
  ExpectTrueSums("alloc=512k", 512 * kKilo, {"waves", "2000", "256"});
}

// Before JDK 25 the JVM's own sampler errs in a way that the sums of threads do not show.
TEST_P(AllocTest, WhatTheJvmSamplesWronglyIsWarnedOfAndTheIntervalThatMendsIt) {
  const auto errors_of = [&](const std::string& interval) {
    const ProcessResult run = RunProfiled("start,alloc=" + interval + ",file=" + Path("out.jfr"),
                                          {"AllocationTruth", "long", "2", "128"});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run.err;
  };
  constexpr char kWarning[] = "% of the bytes are of objects that this JVM samples wrongly";
  const std::string errors = errors_of("256k");
  if (jdk().major >= 25) {
    EXPECT_THAT(errors, Not(HasSubstr(kWarning)));
    return;
  }
  EXPECT_THAT(errors, HasSubstr(kWarning));
  if (jdk().major == 11) return;  // every interval has objects of about its size
  EXPECT_THAT(errors, HasSubstr(": alloc=16k samples these objects rightly"));
  EXPECT_THAT(errors_of("16k"), Not(HasSubstr(kWarning)));
}

// Each thread allocates less than one interval; all together allocate a few intervals.
TEST_P(AllocTest, SumsOfThreadsThatAllocateLittleAreTheCountBesideProbesToo) {
  for (const char* options :
       {"alloc", "alloc,lock", "alloc=16k,lock,trace=AllocationTruth.small"}) {
    const ProcessResult run =
        RunProfiled("start," + std::string(options) + ",file=" + Path("out.jfr"),
                    {"AllocationTruth", "short", "300", "1"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    ExpectSumIsTheCount(ReadSound("out.jfr"));
  }
}

// A period of calibration ends with its chunk, or when it holds the maximum number of samples.
TEST_P(AllocTest, SumsAreTrueOverManyChunksAndPeriods) {
  const Recording recording =
      ExpectTrueSums("alloc=32k,chunktime=1s", 32 * kKilo, {"long", "2", "2048"});
  int totals = 0;
  for (const Event& event : recording.OfType(kCalibration)) {
    totals += event.Text("group") == "total" ? 1 : 0;
  }
  EXPECT_GE(totals, 2);
}

// The exact bytes in the recording are what the JVM counts for a thread, and the calibrated samples
// add up to them.
TEST_P(AllocTest, ExactBytesAreTheJvmsOwnCountOfEachThread) {
  const ProcessResult run = RunProfiled("start,alloc=256k,file=" + Path("out.jfr"),
                                        {"AllocationTruth", "long", "3", "256"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  std::map<std::string, double> exact;
  double total = 0;
  for (const Event& event : recording.OfType(kCalibration)) {
    const auto bytes = static_cast<double>(event.Number("exact"));
    if (event.Text("group") == "thread") exact[event.Text("eventThread.javaName")] += bytes;
    if (event.Text("group") == "total") total += bytes;
  }
  std::map<std::string, double> scaled;
  double all = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    const auto weight = static_cast<double>(event.Number("weight"));
    scaled[event.Text("eventThread.javaName")] += weight;
    all += weight;
  }
  const auto truths = ProgramOutput(run.out).NumbersOf("thread.");
  EXPECT_EQ(truths.size(), 3u);
  for (const auto& [thread, truth] : truths) {
    EXPECT_NEAR(exact[thread], truth, 4 * kKilo) << thread << " prints, and ends, after its count";
    EXPECT_THAT(scaled[thread], IsWithin(0.01, truth)) << thread;
  }
  EXPECT_THAT(all, IsWithin(0.01, total));
  EXPECT_THAT(run.err,
              ContainsRegex("alloc: [0-9.]+ [GM]B counted by the JVM .samples before they are "
                            "scaled to it: [0-9.]+ [GM]B ± [0-9.]+ %.\n"));
}

TEST_P(AllocTest, ThePairOfEventsForTlabsTellsObjectsInAndOutsideOfThem) {
  const Recording recording =
      ExpectTrueSums("alloc=256k,tlab=1", 256 * kKilo, {"long", "2", "256"});
  constexpr char kInside[] = "jdk.ObjectAllocationInNewTLAB";
  constexpr char kOutside[] = "jdk.ObjectAllocationOutsideTLAB";
  EXPECT_EQ(recording.Count(kAllocationSample), 0);
  EXPECT_EQ(recording.Count(kInside) + recording.Count(kOutside), recording.Count(kAllocated));
  EXPECT_EQ(recording.Sum(kInside, "tlabSize") + recording.Sum(kOutside, "allocationSize"),
            recording.Sum(kAllocated, "weight"));
  int large = 0;
  for (const Event& event : recording.OfType(kOutside)) {
    EXPECT_NE(event.Text("objectClass"), "AllocationTruth$Tiny");
    large += event.Number("allocationSize") >= 16 << 20 ? 1 : 0;
  }
  EXPECT_GT(large, 0);
  int64_t tiny = 0;
  for (const Event& event : recording.OfType(kInside)) {
    EXPECT_LT(event.Number("allocationSize"), 16 << 20) << "the object's size";
    tiny += event.Text("objectClass") == "AllocationTruth$Tiny" ? 1 : 0;
  }
  EXPECT_GT(tiny, 0);
}

TEST_P(AllocTest, AFilterSelectsTheThreadsWhoseAllocationsAreSampled) {
  const ProcessResult run = RunProfiled("start,alloc=64k,filter=long-1,file=" + Path("out.jfr"),
                                        {"AllocationTruth", "long", "3", "64"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  double bytes = 0;
  for (const Event& event : ReadSound("out.jfr").OfType(kAllocated)) {
    EXPECT_EQ(event.Text("eventThread.javaName"), "long-1");
    bytes += static_cast<double>(event.Number("weight"));
  }
  EXPECT_THAT(bytes, IsWithin(0.03, ProgramOutput(run.out).Number("thread.long-1")));
}

class AllocViewTest : public AllocTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrView, AllocViewTest);

TEST_P(AllocViewTest, TheJdksViewsShowClassesSitesAndThreads) {
  const ProcessResult run = RunProfiled("start,alloc=128k,file=" + Path("out.jfr"),
                                        {"AllocationTruth", "long", "2", "64"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::map<std::string, std::string> views = {
      {"allocation-by-class", "AllocationTruth$Small"},
      {"allocation-by-site", "AllocationTruth.small"},
      {"allocation-by-thread", "long-1"}};
  for (const auto& [view, text] : views) {
    ProcessSpec spec;
    spec.argv = {jdk().Tool("jfr"), "view", "--width", "160", view, Path("out.jfr")};
    const ProcessResult shown = RunProcess(spec);
    EXPECT_EQ(shown.exit_code, 0) << shown.Describe();
    EXPECT_THAT(shown.out, HasSubstr(text)) << view;
  }
}

// The JVM counts the stack chunks of virtual threads that park in the heap, but announces them to
// no agent.
class AllocOfParkingThreadsTest : public AllocTest {
 protected:
  static constexpr char kNotAnnounced[] = "[not announced by the JVM]";
};
JPROF_ON_JDKS_FROM(21, AllocOfParkingThreadsTest);

TEST_P(AllocOfParkingThreadsTest, ListsStackChunksInTheirOwnRow) {
  for (const char* depth : {"60", "200"}) {
    const Recording recording =
        ExpectTrueSumsOfParks("alloc=32k", 32 * kKilo, {"20000", depth, "2", "500"}, {"-Xmx1g"});
    EXPECT_GT(BytesOfMarker(recording, kNotAnnounced), 0) << depth;
  }
}

TEST_P(AllocOfParkingThreadsTest, ThreadsThatNeverParkHaveNoSuchRow) {
  const Recording recording =
      ExpectTrueSumsOfParks("alloc=32k", 32 * kKilo, {"20000", "60", "0", "500"}, {"-Xmx1g"});
  EXPECT_EQ(BytesOfMarker(recording, kNotAnnounced), 0);
}

// The frames come from the arguments of the callback before JDK 24, and from the VM's memory from
// then on (JEP 491).
class AllocInVirtualThreadsTest : public AllocTest {
 protected:
};
JPROF_ON_JDKS_FROM(21, AllocInVirtualThreadsTest);

TEST_P(AllocInVirtualThreadsTest, BytesAreTheProgramsAndOfTheVirtualThreads) {
  const Recording recording = ExpectTrueSums("alloc=128k", 128 * kKilo, {"virtual", "2000", "256"});
  std::map<int64_t, int> threads;
  int whole = 0;
  int samples = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    if (event.Text("objectClass") != "AllocationTruth$Small") continue;
    if (event.Text("eventThread.javaName") == "main") continue;
    ++samples;
    EXPECT_EQ(event.Text("eventThread.group"), "VirtualThreads");
    ++threads[event.Number("eventThread.javaThreadId")];
    whole += event.frames.back().method == "jdk.internal.vm.Continuation.enter" ? 1 : 0;
  }
  EXPECT_GT(threads.size(), 1000u) << "of 2000, of which each has 1.2 samples of the class";
  EXPECT_GE(whole, samples * 99 / 100);
}

}  // namespace
}  // namespace jprof::test
