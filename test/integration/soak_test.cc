// As many short threads, classes and chunks as in a day, in half an hour: memory does not grow, no
// event is missing, and nothing remains after the stop.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <thread>

#include "integration/flatness.h"
#include "integration/process_footprint.h"
#include "integration/soak_tally.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kDefaultSeconds = 1800;
// 8.6 million threads in half an hour, as many as 100 a second for a day. The starters reach 98 %
// of this rate.
constexpr int kThreadsPerSecond = 4900;
constexpr int kClassesPerSecond = 10;
constexpr double kCpuInterval = 5e6;
constexpr double kWallInterval = 10e6;
constexpr char kOptions[] = "start,cpu=5ms,wall=10ms,chunktime=1s,loop=20s,file=";

// Keeps the JVM's own memory constant: the heap is touched at the start, and C2 is off, because one
// of its compilations can take 20 MB that malloc does not return.
const std::vector<std::string> kQuietJvm = {"-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch",
                                            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"};

int SecondsFromEnvironment() {
  const char* text = getenv("JPROF_SOAK_SECONDS");
  return text == nullptr ? kDefaultSeconds : atoi(text);
}

class SoakTest : public JvmTest {
 protected:
  // Reads and removes the files that are complete, or all files if `all` is true.
  void ConsumeFiles(bool all) {
    std::vector<int> numbers;
    for (const std::string& name : FilesInFolder()) {
      if (name.starts_with("out-") && name.ends_with(".jfr")) {
        numbers.push_back(atoi(name.c_str() + 4));
      }
    }
    std::ranges::sort(numbers);
    if (!all && !numbers.empty()) numbers.pop_back();  // the last file is still being written
    for (const int number : numbers) {
      const std::string path = Path("out-" + std::to_string(number) + ".jfr");
      const auto read = profile::ReadJfr(path, tally_);
      ASSERT_TRUE(read.ok()) << read.error().message();
      EXPECT_TRUE(read.value().complete()) << read.value().missing;
      std::filesystem::remove(path);
    }
  }

  // Writes one row per second to $JPROF_SOAK_CSV, or to a file in the test's folder.
  void Watch(pid_t pid, const std::atomic<bool>& over) {
    const char* wanted = getenv("JPROF_SOAK_CSV");
    std::ofstream csv(wanted != nullptr ? wanted : Path("soak.csv"));
    csv << "seconds,resident_kb,threads,files,mappings,timers,pending_signals,threads_so_far\n";
    const auto begin = steady_clock::now();
    for (auto next = begin; !over.load(std::memory_order_relaxed); next += seconds(1)) {
      std::this_thread::sleep_until(next);
      ConsumeFiles(false);
      const std::chrono::duration<double> elapsed = steady_clock::now() - begin;
      const ProcessFootprint at = ProcessFootprint::Of(pid);
      resident_kb_.push_back(static_cast<double>(at.resident_kb));
      threads_.push_back(static_cast<double>(at.threads));
      csv << elapsed.count() << ',' << at.resident_kb << ',' << at.threads << ',' << at.files << ','
          << at.mappings << ',' << at.timers << ',' << at.pending_signals << ',' << tally_.started()
          << '\n';
    }
  }

  // Expects that memory does not grow after the first tenth of the time.
  void ExpectFlatMemory(const ProgramOutput& truth) const {
    // For each unloaded class, JDKs up to 25 keep the cells of its method ids (JDK-8268406) and
    // some more words, with or without the profiler.
    constexpr double kBytesOfTheJvmEachClass = 256;
    // The C library keeps the stacks of ended threads for reuse: as many as there once were threads
    // at a time.
    constexpr double kStacksKb = 4096;
    const auto tenth = static_cast<std::ptrdiff_t>(resident_kb_.size() / 10);
    const Trend trend = Trend::Of({resident_kb_.begin() + tenth, resident_kb_.end()});
    const double of_the_jvm_kb = 0.9 * truth.Number("classes") * kBytesOfTheJvmEachClass / 1024;
    std::cout << "RSS grew by " << trend.growth << " kB, noise " << trend.noise
              << " kB, allowed to the JVM " << of_the_jvm_kb << " kB; "
              << trend.growth * 1024 / (0.9 * truth.Number("threads")) << " bytes a thread\n";
    EXPECT_LE(trend.growth, trend.noise + of_the_jvm_kb + kStacksKb);
  }

  void ExpectNothingLeft(pid_t pid, const ProcessFootprint& before) const {
    constexpr int64_t kOwnNoise = 20;  // the JVM's compilers and collectors
    ProcessFootprint after = ProcessFootprint::Of(pid);
    std::cout << "before, after: threads " << before.threads << ", " << after.threads << "; files "
              << before.files << ", " << after.files << "; mappings " << before.mappings << ", "
              << after.mappings << "; timers " << before.timers << ", " << after.timers
              << "; pending signals " << before.pending_signals << ", " << after.pending_signals
              << "; RSS " << before.resident_kb << ", " << after.resident_kb << " kB\n";
    EXPECT_LE(after.threads, before.threads + kOwnNoise);
    EXPECT_LE(after.files, before.files + kOwnNoise);
    EXPECT_LE(after.mappings, before.mappings + kOwnNoise);
    EXPECT_LE(after.timers, before.timers);
    EXPECT_LE(after.pending_signals, before.pending_signals + kOwnNoise);
  }

  // Returns an upper bound of the sum of the lifetimes of short threads, computed from the kernel's
  // count of threads without the `others`, plus four standard errors. The program knows only the
  // time until it has joined a thread. The thread lives until its exit is finished, which takes
  // milliseconds on a busy machine.
  double MostThreadNanos(double others) const {
    const Mean mean = Mean::Of(threads_);
    return (mean.value + 4 * mean.error - others) * static_cast<double>(threads_.size()) * 1e9;
  }

  void ExpectTruth(const ProgramOutput& truth, int64_t threads_before) const {
    EXPECT_EQ(static_cast<double>(tally_.started()), truth.Number("threads"));
    // The last threads have been joined, but might not have left the JVM when the recording stops.
    constexpr double kLast = 100;
    EXPECT_NEAR(static_cast<double>(tally_.ended()), truth.Number("threads"), kLast);
    EXPECT_THAT(tally_.faults(), testing::IsEmpty());
    std::cout << "under the names of their creators: " << tally_.foreign_names() << "\n";
    EXPECT_LT(tally_.foreign_names(), tally_.chunks());

    const double wall = static_cast<double>(tally_.of_short_threads().wall) * kWallInterval;
    constexpr double kMakers = 5;  // threads that start short threads and define classes
    const double by_kernel = MostThreadNanos(static_cast<double>(threads_before) + kMakers +
                                             static_cast<double>(tally_.own_threads().size()));
    std::cout << "thread-seconds of short threads: at least " << truth.Number("wall.least") / 1e9
              << ", recorded " << wall / 1e9 << ", at most " << truth.Number("wall.most") / 1e9
              << " until joined, " << by_kernel / 1e9 << " by the kernel's count\n";
    EXPECT_GE(wall, 0.99 * truth.Number("wall.least"));
    EXPECT_LE(wall, std::max(1.01 * truth.Number("wall.most"), by_kernel));

    double own = 0;
    for (const auto& [name, nanos] : tally_.own_threads()) own += static_cast<double>(nanos);
    const double short_cpu = static_cast<double>(tally_.of_short_threads().cpu) * kCpuInterval;
    const double cpu = static_cast<double>(tally_.cpu()) * kCpuInterval;
    std::cout << "CPU seconds: of short threads at least " << truth.Number("cpu.least") / 1e9
              << ", recorded " << short_cpu / 1e9 << "; of all threads " << cpu / 1e9
              << ", of ours " << own / 1e9 << ", of the process "
              << truth.Number("cpu.process") / 1e9 << "; lost intervals " << tally_.lost() << "\n";
    EXPECT_GE(short_cpu, 0.99 * truth.Number("cpu.least"));
    EXPECT_LE(cpu + own, 1.01 * truth.Number("cpu.process"));
    // A thread uses CPU time in the kernel before its first and after its last instruction: 28 to
    // 32 us in a C program whose threads do nothing.
    constexpr double kNanosOutsideOfAThread = 1e5;
    EXPECT_GE(cpu + own, 0.99 * (truth.Number("cpu.process") -
                                 kNanosOutsideOfAThread * truth.Number("threads")));
    for (const auto& [name, nanos] : truth.NumbersOf("cpu.")) {
      const auto recorded = tally_.others().find(name);
      if (recorded == tally_.others().end()) continue;
      const double cpu_of_thread = static_cast<double>(recorded->second.cpu) * kCpuInterval;
      EXPECT_NEAR(cpu_of_thread, nanos, 0.01 * nanos + 2 * kCpuInterval) << name;
    }
  }

  SoakTally tally_;
  std::vector<double> resident_kb_;  // one value per second
  std::vector<double> threads_;      // one value per second
};
JPROF_ON_EVERY_JDK(SoakTest);

TEST_P(SoakTest, MemoryStaysFlatAndTotalsTrueForADay) {
  const int length = SecondsFromEnvironment();
  ProcessSpec spec = Java({"Soak", std::to_string(length), std::to_string(kThreadsPerSecond),
                           std::to_string(kClassesPerSecond), AgentLibrary(),
                           kOptions + Path("out-%n.jfr"), NativeLibraryFolder()},
                          kQuietJvm);
  spec.timeout = seconds(2 * length + 600);
  auto started = RunningProcess::Start(spec);
  ASSERT_TRUE(started.ok()) << started.error().message();
  RunningProcess& program = started.value();
  const auto ready = program.WaitForLine("ready=");
  ASSERT_TRUE(ready.ok()) << ready.error().message();
  for (const std::string& name : FilesInFolder()) std::filesystem::remove(Path(name));
  const ProcessFootprint before = ProcessFootprint::Of(program.pid());
  program.WriteLine("go");

  std::atomic<bool> over{false};
  std::thread watcher([&] { Watch(program.pid(), over); });
  const auto ended = program.WaitForLine("over=");
  over.store(true, std::memory_order_relaxed);
  watcher.join();
  ASSERT_TRUE(ended.ok()) << ended.error().message();
  ExpectNothingLeft(program.pid(), before);
  const ProcessResult end = program.Wait();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  ConsumeFiles(true);

  std::cout << std::fixed << std::setprecision(1);
  const ProgramOutput truth(end.out.substr(end.out.find("ready=")));
  std::cout << truth.Number("threads") << " threads, " << truth.Number("classes") << " classes, "
            << tally_.chunks() << " chunks\n"
            << end.err;
  for (const auto& [name, value] : tally_.counters()) {
    if (name.starts_with("in memory")) std::cout << name << ": " << value << "\n";
  }
  ExpectFlatMemory(truth);
  ExpectTruth(truth, before.threads);
}

}  // namespace
}  // namespace jprof::test
