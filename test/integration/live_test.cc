// Compares the live objects that a recording shows (engines/alloc) with those that the program
// keeps.
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kLive[] = "profiler.LiveObject";
constexpr char kSurviving[] = "profiler.SurvivingObject";
constexpr char kSnapshot[] = "profiler.LiveSnapshot";

struct Estimate {
  double bytes = 0;
  double variance = 0;
  int64_t objects = 0;
  int64_t least_age = 1 << 20;
  int64_t most_age = 0;
};

struct Snapshot {
  Event event;
  std::set<std::string> allocated = {};          // start times of the allocations
  std::map<std::string, Estimate> sites = {};    // sites by the method that allocates
  std::map<std::string, Estimate> classes = {};  // classes by objectClass
  double bytes = 0;                              // bytes of profiler.LiveObject
};

void Add(const Event& event, Estimate& estimate) {
  const auto error = static_cast<double>(event.Number("standardError"));
  estimate.bytes += static_cast<double>(event.Number("weight"));
  estimate.variance += error * error;
  estimate.least_age = std::min(estimate.least_age, event.Number("age"));
  estimate.most_age = std::max(estimate.most_age, event.Number("age"));
  ++estimate.objects;
}

// Returns the snapshots in the order of their start times.
std::vector<Snapshot> SnapshotsOf(const Recording& recording) {
  std::map<std::string, Snapshot> snapshots;
  for (const Event& event : recording.OfType(kSnapshot)) {
    snapshots.emplace(event.Text("startTime"), Snapshot{.event = event});
  }
  for (const Event& event : recording.OfType(kSurviving)) {
    const auto found = snapshots.find(event.Text("startTime"));
    EXPECT_NE(found, snapshots.end()) << "an object without its snapshot";
    if (found == snapshots.end()) continue;
    Add(event, found->second.classes[event.Text("objectClass")]);
    if (!event.frames.empty()) Add(event, found->second.sites[event.frames.front().method]);
  }
  for (const Event& event : recording.OfType(kLive)) {
    const auto found = snapshots.find(event.Text("startTime"));
    EXPECT_NE(found, snapshots.end()) << "an object without its snapshot";
    if (found != snapshots.end()) {
      found->second.allocated.insert(event.Text("allocationTime"));
      found->second.bytes += static_cast<double>(event.Number("allocationSize"));
    }
  }
  std::vector<Snapshot> ordered;
  for (auto& [time, snapshot] : snapshots) ordered.push_back(std::move(snapshot));
  return ordered;
}

class LiveTest : public JvmTest {
 protected:
  ProcessResult Run(const std::string& options, const std::vector<std::string>& jvm_arguments,
                    const std::vector<std::string>& snapshots = {}) const {
    std::vector<std::string> program = {
        "LiveTruth", AgentLibrary(), options + ",file=" + Path("out.jfr"), NativeLibraryFolder()};
    program.insert(program.end(), snapshots.begin(), snapshots.end());
    std::vector<std::string> arguments = {"-Xmx600m"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    ProcessResult run = RunProcess(Java(program, arguments));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run;
  }

  // Expects that the estimate of each site is within 5 % of the truth plus four standard errors,
  // and that the sums of the snapshot's events agree.
  void ExpectTrue(const Snapshot& snapshot, const std::map<std::string, double>& truths) const {
    EXPECT_EQ(truths.size(), 3u);
    std::cout << jdk() << ' ';
    for (const auto& [name, truth] : truths) {
      const std::string site = "LiveTruth." + (name == "Small" ? "small" : name);
      const auto found = snapshot.sites.find(site);
      ASSERT_NE(found, snapshot.sites.end()) << site;
      const Estimate& estimate = found->second;
      const double error = std::sqrt(estimate.variance);
      std::cout << name << ": " << estimate.bytes / truth << " ± " << error / truth << ", "
                << estimate.objects << " objects; ";
      EXPECT_NEAR(estimate.bytes, truth, truth / 20 + 4 * error) << site;
      EXPECT_GE(estimate.least_age, 1);
    }
    const auto weight = static_cast<double>(snapshot.event.Number("weight"));
    const auto objects = static_cast<double>(snapshot.event.Number("objects"));
    std::cout << weight << " bytes ± " << snapshot.event.Number("standardError") << ", thinning "
              << snapshot.event.Number("thinning") << ", " << objects << " objects, collections "
              << snapshot.event.Number("collections") << ", of all "
              << snapshot.event.Number("oldCollections") << '\n';
    EXPECT_NEAR(snapshot.bytes, weight, objects + 1);
    EXPECT_LE(objects, 10'000);
    EXPECT_GT(static_cast<double>(snapshot.allocated.size()), objects / 2);
  }

  void ExpectKeptAndDropped(const std::string& options,
                            const std::vector<std::string>& jvm_arguments) const {
    const ProcessResult run = Run(options, jvm_arguments);
    EXPECT_THAT(run.out, HasSubstr("Java stood still for"));
    const std::vector<Snapshot> all = SnapshotsOf(ReadSound("out.jfr"));
    std::vector<const Snapshot*> forced;
    for (const Snapshot& each : all) {
      if (each.event.Text("forced") == "true") forced.push_back(&each);
    }
    ASSERT_EQ(forced.size(), 3u) << run.Describe();
    const ProgramOutput output(run.out);
    ExpectTrue(*forced[0], output.NumbersOf("filled."));
    ExpectTrue(*forced[1], output.NumbersOf("last."));
    ExpectTrue(*forced[2], output.NumbersOf("last."));
    for (const Snapshot* each : forced) {
      EXPECT_FALSE(each->classes.contains("LiveTruth$Dropped")) << run.Describe();
    }
  }
};
// The JVM has the event for sampled allocations (JEP 331) from JDK 11 on.
JPROF_ON_JDKS_FROM(11, LiveTest);

TEST_P(LiveTest, BytesOfSitesAreWhatTheProgramKeepsWithG1) {
  ExpectKeptAndDropped("alloc=32k,live", {"-XX:+UseG1GC"});
}

TEST_P(LiveTest, BytesOfSitesAreWhatTheProgramKeepsWithSerial) {
  ExpectKeptAndDropped("alloc=32k,live", {"-XX:+UseSerialGC"});
}

TEST_P(LiveTest, BytesOfSitesAreWhatTheProgramKeepsWithParallel) {
  ExpectKeptAndDropped("alloc=32k,live", {"-XX:+UseParallelGC"});
}

TEST_P(LiveTest, BytesOfSitesAreWhatTheProgramKeepsWithZ) {
  ExpectKeptAndDropped("alloc=32k,live",
                       {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx1g"});
}

// The program itself starts each collection. A collection measures all objects that were sampled
// before it, and increments their ages.
class LiveCollectionsTest : public LiveTest {
 protected:
  static constexpr int kCollections = 3;

  void ExpectAgesAndBytes(const std::vector<std::string>& collector) const {
    std::vector<std::string> arguments = {"-Xms1g", "-Xmx1g", "-XX:+UnlockExperimentalVMOptions"};
    arguments.insert(arguments.end(), collector.begin(), collector.end());
    const ProcessResult run = RunProcess(
        Java({"LiveCollections", AgentLibrary(), "alloc=16k,live,file=" + Path("out.jfr"),
              NativeLibraryFolder(), std::to_string(kCollections)},
             arguments));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const double kept = ProgramOutput(run.out).Number("kept");
    const std::vector<Snapshot> all = SnapshotsOf(ReadSound("out.jfr"));
    ASSERT_EQ(all.size(), kCollections + 1u) << "one at the stop";
    for (int i = 0; i < kCollections; ++i) {
      const auto found = all[i].sites.find("LiveCollections.keep");
      ASSERT_NE(found, all[i].sites.end()) << "after collection " << i + 1;
      const double error = std::sqrt(found->second.variance);
      std::cout << jdk() << ' ' << collector.back() << ": " << found->second.bytes / kept << " ± "
                << error / kept << ", " << found->second.objects << " objects of age "
                << found->second.least_age << " to " << found->second.most_age << '\n';
      EXPECT_NEAR(found->second.bytes, kept, 4 * error);
      EXPECT_EQ(found->second.least_age, i + 1);
      EXPECT_EQ(found->second.most_age, i + 1);
      const auto dropped = all[i].sites.find("LiveCollections.drop");
      if (dropped != all[i].sites.end()) {
        EXPECT_LE(dropped->second.objects, 1) << "the JVM may keep one that it holds in a frame";
      }
      EXPECT_FALSE(all[i].classes.contains("")) << "without a class";
    }
    EXPECT_THAT(run.out, HasSubstr("of all objects: " + std::to_string(kCollections) + ")"));
  }
};
JPROF_ON_JDKS_FROM(11, LiveCollectionsTest);

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithSerial) {
  ExpectAgesAndBytes({"-XX:+UseSerialGC"});
}

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithParallel) {
  ExpectAgesAndBytes({"-XX:+UseParallelGC"});
}

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithG1) { ExpectAgesAndBytes({"-XX:+UseG1GC"}); }

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithZ) { ExpectAgesAndBytes({"-XX:+UseZGC"}); }

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithGenerationalZ) {
  constexpr int kFirst = 21;
  constexpr int kLastWithTheOption = 23;  // generations are the default from then on
  if (jdk().major < kFirst || jdk().major > kLastWithTheOption) return;
  ExpectAgesAndBytes({"-XX:+UseZGC", "-XX:+ZGenerational"});
}

TEST_P(LiveCollectionsTest, AreCountedForEachObjectWithShenandoah) {
  ExpectAgesAndBytes({"-XX:+UseShenandoahGC"});
}

TEST_P(LiveTest, BytesOfSitesAreWhatTheProgramKeepsWithShenandoah) {
  ExpectKeptAndDropped("alloc=32k,live",
                       {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC", "-Xmx1g"});
}

TEST_P(LiveTest, AFullTableOfReferencesStaysUnbiased) {
  ExpectKeptAndDropped("alloc=4k,live", {"-XX:+UseSerialGC"});
}

// Each chunk contains the stacks, classes and threads of all live allocations, even long after the
// chunk in which they were sampled.
TEST_P(LiveTest, EachSnapshotHasAllLiveObjectsWithTheirStacksOverManyChunks) {
  const ProcessResult run = Run("alloc=16k,live", {"-XX:+UseSerialGC"}, {"8"});
  const std::vector<Snapshot> all = SnapshotsOf(ReadSound("out.jfr"));
  const auto truths = ProgramOutput(run.out).NumbersOf("last.");
  int forced = 0;
  for (const Snapshot& each : all) {
    if (each.event.Text("forced") != "true") continue;
    ++forced;
    ExpectTrue(each, truths);
    double with_site = 0;
    for (const auto& [site, estimate] : each.sites) with_site += estimate.bytes;
    EXPECT_NEAR(with_site, each.bytes, each.bytes / 100) << "without a stack";
  }
  EXPECT_EQ(forced, 9);
}

TEST_P(LiveTest, ObjectsNewerThanTheLastCollectionAreNotLive) {
  const ProcessResult run = RunProfiled("start,alloc=32k,live,file=" + Path("out.jfr"),
                                        {"LiveFaults", "new"}, {"-Xmx1g", "-Xmn600m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<Snapshot> all = SnapshotsOf(ReadSound("out.jfr"));
  ASSERT_FALSE(all.empty());
  const Snapshot& last = all.back();
  EXPECT_TRUE(last.sites.contains("LiveFaults.old"));
  EXPECT_FALSE(last.sites.contains("LiveFaults.recent"));
  EXPECT_GT(last.event.Number("newObjects"), 100);
}

TEST_P(LiveTest, WithoutACollectionNothingIsMeasuredAndTheAnswerSaysSo) {
  const ProcessResult run =
      RunProcess(Java({"LiveCollections", AgentLibrary(), "alloc=16k,live,file=" + Path("out.jfr"),
                       NativeLibraryFolder(), "0"},
                      {"-XX:+UseSerialGC", "-Xmx1g", "-Xmn600m"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, testing::ContainsRegex("live: not measured, because no garbage collection "
                                              "could have freed any of [0-9]+ sampled objects"));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("live: 0")));
}

TEST_P(LiveTest, RecordingsSurviveAHeapThatIsFull) {
  const ProcessResult run = RunProfiled("start,alloc=16k,live,file=" + Path("out.jfr"),
                                        {"LiveFaults", "full"}, {"-Xmx64m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("full=3"));
  const std::vector<Snapshot> all = SnapshotsOf(ReadSound("out.jfr"));
  ASSERT_FALSE(all.empty());
  EXPECT_LE(all.back().event.Number("objects"), 10'000);
}

TEST_P(LiveTest, ObjectsOfUnloadedClassesAreGone) {
  const ProcessResult run = RunProfiled("start,alloc=4k,live,file=" + Path("out.jfr"),
                                        {"LiveFaults", "unload"}, {"-Xmx256m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const std::vector<Snapshot> all = SnapshotsOf(recording);
  ASSERT_FALSE(all.empty());
  const std::string unloaded = "LiveFaults$Loaded";
  int64_t sampled = 0;
  for (const Event& event : recording.OfType("profiler.AllocatedObject")) {
    sampled += event.Text("objectClass") == unloaded ? 1 : 0;
  }
  EXPECT_GT(sampled, 100);
  EXPECT_FALSE(all.back().classes.contains(unloaded));
}

TEST_P(LiveTest, LiveNeedsAllocAndACollectorAndGcNeedsLive) {
  const ProcessResult alone = RunProfiled("start,cpu,live,file=" + Path("out.jfr"), {"Hello"});
  EXPECT_THAT(alone.Describe(), HasSubstr("'live' is for allocations: add alloc"));
  const ProcessResult epsilon =
      RunProfiled("start,alloc,live,file=" + Path("out.jfr"), {"Hello"},
                  {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"});
  EXPECT_THAT(epsilon.Describe(), HasSubstr("Epsilon never collects: leave out live"));
}

}  // namespace
}  // namespace jprof::test
