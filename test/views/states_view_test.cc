// Tests the view `states`, which shows how threads spent their time. The content of the recordings
// is known.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <string>

#include "base/scoped_fd.h"
#include "formats/convert_to.h"
#include "profile/chunk_builder.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/sliced_view.h"
#include "views/states_table.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using test::JsonRow;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMs = 1000;  // ticks

// A recording of the thread "main" with samples 10 ms apart. Times are in milliseconds since the
// start of the recording.
class StatesRecording {
 public:
  StatesRecording() {
    using test::kLongId, test::kStringId, test::kTimespanId, test::kTimestampId;
    test::AddSampleTypes(chunk_);
    test::AddSampleConstants(chunk_);
    const test::BuiltField start = {"startTime", kLongId, test::kPlain, kTimestampId, "TICKS"};
    const test::BuiltField duration = {"duration", kLongId, test::kPlain, kTimespanId, "TICKS"};
    const test::BuiltField thread = {"eventThread", 31, test::kInPool};
    const auto span = [](const char* name) {
      return test::BuiltField{name, kLongId, test::kPlain, kTimespanId, "TICKS"};
    };
    chunk_.Type(40, "profiler.ThreadTime", "jdk.jfr.Event",
                {start, duration, thread, span("cpuTime"), span("runQueueTime")});
    chunk_.Type(41, "profiler.WallClockSample", "jdk.jfr.Event",
                {start,
                 {"sampledThread", 31, test::kInPool},
                 {"stackTrace", 32, test::kInPool},
                 {"state", 42, test::kInPool},
                 {"samples", test::kIntId}});
    chunk_.Type(42, "jdk.types.ThreadState", "", {{"name", kStringId}});
    chunk_.Type(43, "jdk.ActiveSetting", "jdk.jfr.Event",
                {start, {"id", kLongId}, {"name", kStringId}, {"value", kStringId}});
    chunk_.Type(44, "jdk.ThreadPark", "jdk.jfr.Event", {start, duration, thread});
    chunk_.Type(45, "profiler.ThreadWaits", "jdk.jfr.Event",
                {start, thread, span("blocked"), span("waiting"), span("parked")});
    chunk_.Type(46, "profiler.VirtualThreadTime", "jdk.jfr.Event",
                {start,
                 {"firstId", kLongId},
                 {"started", kLongId},
                 span("lifetime"),
                 span("waitForCarrier"),
                 span("blocked"),
                 span("waiting"),
                 span("parked"),
                 span("sleeping")});
    chunk_.Event(43, [this](test::Bytes& out) {
      out.Long(At(0));
      out.Long(41);
      out.Utf8("period");
      out.Utf8("10 ms");
    });
  }

  void Lived(uint64_t from, uint64_t to, uint64_t cpu, uint64_t queued) {
    chunk_.Event(40, [=, this](test::Bytes& out) {
      out.Long(At(from));
      out.Long((to - from) * kMs);
      out.Long(1);
      out.Long(cpu * kMs);
      out.Long(queued * kMs);
    });
  }
  void Sampled(const std::string& state, uint64_t from, uint64_t to) {
    const uint64_t key = states_.emplace(state, states_.size() + 1).first->second;
    chunk_.Event(41, [=, this](test::Bytes& out) {
      out.Long(At(to));
      out.Long(1);
      out.Long(1);
      out.Long(key);
      out.Int((to - from) / 10);
    });
  }
  void Parked(uint64_t from, uint64_t to) {
    chunk_.Event(44, [=, this](test::Bytes& out) {
      out.Long(At(from));
      out.Long((to - from) * kMs);
      out.Long(1);
    });
  }

  void Waited(uint64_t blocked, uint64_t waiting, uint64_t parked) {
    Times(45, {1, blocked * kMs, waiting * kMs, parked * kMs});
  }
  void VirtualLived(uint64_t threads, uint64_t lifetime, uint64_t unstarted, uint64_t parked,
                    uint64_t sleeping) {
    Times(46, {50, threads, lifetime * kMs, unstarted * kMs, 0, 0, parked * kMs, sleeping * kMs});
  }

  std::string Build() {
    for (const auto& [state, key] : states_) {
      chunk_.Constant(42, key, [&](test::Bytes& out) { out.Utf8("STATE_" + state); });
    }
    return chunk_.Build();
  }

 private:
  void Times(uint64_t type, const std::vector<uint64_t>& values) {
    chunk_.Event(type, [=, this](test::Bytes& out) {
      out.Long(At(0));
      for (const uint64_t value : values) out.Long(value);
    });
  }
  uint64_t At(uint64_t ms) const { return chunk_.start_ticks + ms * kMs; }

  test::ChunkBuilder chunk_;
  std::map<std::string, uint64_t> states_;
};

class StatesViewTest : public ::testing::Test {
 protected:
  std::string View(StatesRecording& recording, const ConvertOptions& options) {
    test::WriteFile(path_, recording.Build());
    const ScopedFd fd(memfd_create("view", MFD_CLOEXEC));
    const auto report = test::ConvertTo(path_, *FindView("states"), fd.get(), options);
    EXPECT_TRUE(report.ok()) << report.error().message();
    std::string text(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

  // Returns the milliseconds of the thread "main" by state. Expects that they are equal to the
  // milliseconds of all threads together, and that they add up to the lifetime of "main".
  std::map<std::string, double> Life(StatesRecording& recording) {
    ConvertOptions options;
    options.format.table.is_json = true;
    std::map<std::string, std::map<std::string, double>> lives;
    double sum_ns = 0;
    double lifetime_ns = 0;
    for (const JsonRow& row : test::JsonRows(View(recording, options))) {
      lives[row.at("thread")][row.at("state")] = std::stod(row.at("time")) / 1e6;
      lifetime_ns = std::stod(row.at("lifetime"));
      if (row.at("thread") == "main") sum_ns += std::stod(row.at("time"));
      sources_[row.at("state")] = row.at("source");
    }
    EXPECT_EQ(sum_ns, lifetime_ns);
    EXPECT_EQ(lives["main"], lives["[all threads]"]);
    return lives["main"];
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  std::map<std::string, std::string> sources_;
};

using Times = std::map<std::string, double>;

TEST_F(StatesViewTest, TimesOfAThreadAddUpOverItsEvents) {
  StatesRecording recording;
  recording.Lived(1000, 2000, 300, 100);
  recording.Lived(2000, 3000, 200, 50);
  EXPECT_EQ(Life(recording), (Times{{"cpu", 500}, {"runnable", 150}, {"unattributed", 1350}}));
}

// The last 600 ms of the park are in the life of the thread. The samples might show the end of the
// park up to 60 ms too late. So 30 ms of the time that they show as park count as sleep.
TEST_F(StatesViewTest, WaitsAndSamplesCountForTheirPartInTheLife) {
  StatesRecording recording;
  recording.Lived(1000, 3000, 200, 0);
  recording.Parked(500, 1600);
  recording.Sampled("PARKED", 500, 1600);
  recording.Sampled("SLEEPING", 1600, 1610);
  recording.Sampled("SLEEPING", 1610, 1700);
  recording.Sampled("IN_IO", 2910, 4000);
  EXPECT_EQ(
      Life(recording),
      (Times{{"cpu", 200}, {"parked", 600}, {"sleeping", 130}, {"io", 90}, {"unattributed", 980}}));
  EXPECT_EQ(sources_["parked"], "lock events");
  EXPECT_EQ(sources_["sleeping"], "wall samples");
}

// A wait has no event if it started before the recording, or in Unsafe.park.
TEST_F(StatesViewTest, SamplesShowWaitsWithoutEvents) {
  StatesRecording recording;
  recording.Lived(0, 2000, 0, 0);
  recording.Sampled("PARKED", 0, 10);
  recording.Sampled("PARKED", 10, 1500);
  recording.Sampled("IN_OBJECT_WAIT", 1500, 1510);
  recording.Parked(1200, 1500);
  const Times life = Life(recording);
  EXPECT_NEAR(life.at("parked"), 1500, 90);
  EXPECT_EQ(sources_["parked"], "lock events, wall samples");
  EXPECT_EQ(sources_["waiting"], "wall samples");
}

// The sums also include waits that were not sampled as events, and waits in chunks without events.
TEST_F(StatesViewTest, SumsOfWaitsAreTheTimesOfTheirStates) {
  StatesRecording recording;
  recording.Lived(0, 2000, 100, 0);
  recording.Parked(0, 500);
  recording.Waited(30, 0, 600);
  recording.Waited(0, 70, 1);
  EXPECT_EQ(Life(recording), (Times{{"cpu", 100},
                                    {"blocked", 30},
                                    {"waiting", 70},
                                    {"parked", 601},
                                    {"unattributed", 1199}}));
  EXPECT_EQ(sources_["parked"], "wait sums");
}

TEST_F(StatesViewTest, LivesOfVirtualThreadsAddUpOverChunks) {
  StatesRecording recording;
  recording.Lived(0, 1000, 0, 0);
  recording.VirtualLived(7, 3000, 20, 2000, 500);
  recording.VirtualLived(1, 1000, 30, 300, 100);
  ConvertOptions options;
  options.format.table.is_json = true;
  Times life;
  for (const JsonRow& row : test::JsonRows(View(recording, options))) {
    if (row.at("thread") != "[virtual threads]") continue;
    life[row.at("state")] = std::stod(row.at("time")) / 1e6;
    EXPECT_EQ(std::stod(row.at("lifetime")), 4e9);
    EXPECT_EQ(row.at("source"), row.at("state") == "unattributed" ? "the rest" : "probes");
  }
  EXPECT_EQ(life,
            (Times{{"runnable", 50}, {"parked", 2300}, {"sleeping", 600}, {"unattributed", 1050}}));
  EXPECT_THAT(View(recording, {}), HasSubstr("8 virtual threads for 4"));
}

// The times of all virtual threads are summed in one life, which cannot be split by thread.
TEST_F(StatesViewTest, ChosenThreadsExcludeVirtualOnes) {
  StatesRecording recording;
  recording.Lived(0, 1000, 0, 0);
  recording.VirtualLived(7, 3000, 20, 2000, 500);
  recording.Sampled("SLEEPING", 0, 500);
  test::WriteFile(path_, recording.Build());
  const std::string states = test::SlicedView("states", path_, {.thread = "main"});
  EXPECT_THAT(states, AllOf(HasSubstr("1 threads lived for 1.00 s in all within the recording "
                                      "--thread main\n"),
                            HasSubstr("sleeping"), Not(HasSubstr("virtual"))));
}

// After a wait, a thread queues for a processor. This time is part of the wait, and the kernel
// counts it as time in the run queue, too.
TEST_F(StatesViewTest, SubtractsTimeBeyondALifeFromTheRunQueueFirst) {
  StatesRecording recording;
  recording.Lived(0, 1000, 400, 150);
  recording.Parked(0, 500);
  EXPECT_EQ(Life(recording),
            (Times{{"cpu", 400}, {"runnable", 100}, {"parked", 500}, {"unattributed", 0}}));
}

// Virtual threads run on carrier threads, whose times are already in the sum of all threads.
TEST(StatesTableTest, AllThreadsExcludeVirtualThreads) {
  const profile::Profile profile;
  ThreadLife virtual_threads{.is_virtual = true};
  virtual_threads[LifeState::kCpu].ns = 5e6;
  const Table table = StatesTable(profile, {virtual_threads});
  EXPECT_THAT(table.title, HasSubstr("0 threads lived"));
  for (const std::vector<Cell>& row : table.rows) {
    if (row.back().text == "[all threads]") {
      EXPECT_EQ(row[1].number, 0);
    }
  }
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows.back().back().text, "[virtual threads]");
}

TEST_F(StatesViewTest, ShowsSumsOfSamplesWithoutLifetimes) {
  StatesRecording recording;
  recording.Sampled("PARKED", 0, 500);
  EXPECT_THAT(View(recording, {}), AllOf(HasSubstr("wall"), HasSubstr("50"), HasSubstr("parked"),
                                         Not(HasSubstr("unattributed"))));
}

}  // namespace
}  // namespace jprof
