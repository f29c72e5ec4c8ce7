#include "profile/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "conversion/parse_slice.h"
#include "jfr/reader/jfr_value.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"
#include "profile/heap_recording.h"
#include "profile/profile_event.h"
#include "profile/slice_totals.h"
#include "profile/span_recording.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::SliceReader;
using test::SliceTotals;
using test::Totals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSliceEpoch = 1'700'000'000'000'000'000;
constexpr int64_t kSliceMillis = 1'000'000;
constexpr int64_t kWallNs = 50 * kSliceMillis;

// Writes a recording as jprof does. Stacks are given by their frames, outermost first.
class Recorder {
 public:
  explicit Recorder(const std::string& path, const std::string& cpu_period = "10 ms",
                    int64_t epoch_ns = kSliceEpoch)
      : writer_(std::move(JfrWriter::Claim(path, ChunkClock{epoch_ns, 0})).value()) {
    writer_->Declare(::jprof::EventDeclarations::All());
    EXPECT_TRUE(writer_->StartChunk(writer_->clock().MonotonicNanos(0)).ok());
    EventSettings settings;
    for (const auto type :
         {::jprof::JfrType::kExecutionSample, ::jprof::JfrType::kWallClockSample}) {
      settings.Enable(type);
    }
    settings.Set(::jprof::JfrType::kExecutionSample, "period", cpu_period);
    settings.Set(::jprof::JfrType::kWallClockSample, "period", "50 ms");
    settings.WriteTo(*writer_, 0);
  }
  ~Recorder() { EXPECT_TRUE(writer_->Seal(last_ns_ + 1).ok()); }

  uint32_t Thread(int32_t tid, const std::string& name) {
    return writer_->pools().Thread({static_cast<uint64_t>(tid), tid, name, name, tid});
  }
  // Returns a virtual thread without a name and without an OS thread.
  uint32_t VirtualThread(int64_t id) {
    return writer_->pools().Thread({static_cast<uint64_t>(id), 0, "", "", id});
  }
  uint32_t Stack(std::vector<std::string> names) {
    ConstantPools& pools = writer_->pools();
    std::reverse(names.begin(), names.end());
    std::vector<FrameConstant> frames;
    for (const std::string& name : names) {
      frames.push_back({pools.Method({pools.Class({.name = "a/B"}), name, "()V"}), 7, 0,
                        FrameType::kJitCompiled});
    }
    const uint32_t key = pools.NewStackTraceKey();
    pools.SetStackTrace(key, Truncated::kNo, frames);
    return key;
  }
  void Cpu(int64_t time_ns, uint32_t thread, uint32_t stack) {
    writer_->Append(ExecutionSample{last_ns_ = time_ns, thread, stack, ThreadState::kDefault});
  }
  // Adds a wall sample of the `samples` intervals that end at `time_ns`.
  void Wall(int64_t time_ns, uint32_t thread, uint32_t stack, uint32_t samples,
            ThreadState state = ThreadState::kSleeping) {
    writer_->Append(
        WallClockSample{last_ns_ = time_ns, thread, stack, state, samples, samples * kWallNs});
  }

  void Park(int64_t time_ns, int64_t duration_ns, uint32_t thread) {
    ThreadPark park{};
    park.time_ns = last_ns_ = time_ns;
    park.duration_ns = duration_ns;
    park.thread_key = thread;
    writer_->Append(park);
  }

 private:
  std::unique_ptr<JfrWriter> writer_;
  int64_t last_ns_ = 0;
};

// Reads the waits of a slice in the order of the recording.
class WaitReader : public SliceReader {
 public:
  bool WantsEvents(const RecordedType& type) override { return type.name == "jdk.ThreadPark"; }
  void OnEvent(const ProfileEvent& event) override {
    waits.push_back(part.ThreadName(*event.thread) + " parked " +
                    std::to_string(event.inside_ns / kSliceMillis));
    recordings.push_back(event.recording);
  }

  std::vector<std::string> waits;
  std::vector<uint32_t> recordings;
};

class SliceTest : public ::testing::Test {
 protected:
  SliceTotals Read(const SliceOptions& options) { return reader_.Read({path_}, options); }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  SliceReader reader_;
};

TEST_F(SliceTest, AChosenPartIsAProfileOfItsOwn) {
  {
    Recorder recorder(path_);
    const uint32_t main = recorder.Thread(11, "main");
    const uint32_t pool = recorder.Thread(12, "pool-1-thread-2");
    const uint32_t run = recorder.Stack({"run", "work"});
    const uint32_t idle = recorder.Stack({"run", "idle"});
    recorder.Cpu(10 * kSliceMillis, main, run);
    recorder.Cpu(20 * kSliceMillis, pool, idle);
    recorder.Wall(200 * kSliceMillis, pool, idle, 3);
  }
  const SliceTotals pools = Read({.thread = "pool-*"});
  EXPECT_EQ(pools, (SliceTotals{{{"cpu", "pool-1-thread-2", "a.B.run;a.B.idle"}, {1, 1}},
                                {{"wall", "pool-1-thread-2", "a.B.run;a.B.idle"}, {3, 3}}}));
  EXPECT_THAT(reader_.part.threads(), SizeIs(1));
  EXPECT_THAT(reader_.part.methods(), SizeIs(2)) << "run and idle, not work";
  EXPECT_EQ(reader_.part.kinds[0].samples, 1u);
  EXPECT_EQ(reader_.part.kinds[0].interval_ns, 10 * kSliceMillis);
  EXPECT_EQ(reader_.part.end_ns, kSliceEpoch + 200 * kSliceMillis);

  EXPECT_THAT(Read({.thread = "11"}), SizeIs(1));
  EXPECT_THAT(Read({.state = "sleeping"}), SizeIs(1));
  EXPECT_THAT(Read({.state = "RUNNING+STATE_SLEEP"}), SizeIs(3));
  EXPECT_THAT(Read({.event = "wall"}), SizeIs(1));
  EXPECT_EQ(Read({.include = R"(\.work$)"}),
            (SliceTotals{{{"cpu", "main", "a.B.run;a.B.work"}, {1, 1}}}));
  EXPECT_THAT(Read({.include = R"(B\.run$)"}), SizeIs(3)) << "a frame anywhere in the stack";
  EXPECT_THAT(Read({.exclude = "idle|work"}), IsEmpty());
  EXPECT_THAT(Read({.exclude = "run"}), IsEmpty());
  EXPECT_EQ(Read({.thread = "main", .reverse = true}),
            (SliceTotals{{{"cpu", "main", "a.B.work;a.B.run"}, {1, 1}}}));
}

TEST_F(SliceTest, ChoosesAVirtualThreadByTheIdThatViewsPrint) {
  {
    Recorder recorder(path_);
    const uint32_t stack = recorder.Stack({"a"});
    recorder.Cpu(10 * kSliceMillis, recorder.VirtualThread(37), stack);
    recorder.Cpu(20 * kSliceMillis, recorder.Thread(11, "main"), stack);
  }
  EXPECT_EQ(Read({.thread = "37"}), (SliceTotals{{{"cpu", "", "a.B.a"}, {1, 1}}}));
}

TEST_F(SliceTest, ChoosesSpansByIdOrRootAndSamplesByTag) {
  test::SpanRecording recording(path_);
  recording.Sample(10, {.span = 255, .root = 255, .tenant = "acme"});
  recording.Sample(20, {.span = -2, .root = 255, .tenant = "acme"});
  recording.Sample(30, {.span = 7, .root = 7, .tenant = "zebra"});
  recording.Sample(40, {.tenant = "acme"});
  recording.Sample(50, {});
  recording.Seal(60);
  const auto count = [&](const SliceOptions& options) {
    uint64_t sum = 0;
    for (const auto& [key, totals] : Read(options)) sum += totals.samples;
    return sum;
  };
  EXPECT_EQ(count({}), 5u);
  for (const char* text : {"255", "0xff", "00000000000000ff"}) {
    EXPECT_EQ(count({.span = text}), 2u) << text;
  }
  for (const char* text : {"-2", "18446744073709551614", "fffffffffffffffe"}) {
    EXPECT_EQ(count({.span = text}), 1u) << text;
  }
  EXPECT_EQ(count({.tag = "tenant=acme"}), 3u);
  EXPECT_EQ(count({.tag = "span_id=7"}), 1u);
  EXPECT_EQ(count({.span = "255", .tag = "tenant=acme"}), 2u);
  EXPECT_EQ(count({.span = "7", .tag = "tenant=acme"}), 0u);
  EXPECT_EQ(reader_.error,
            "nothing is left of 5 samples: --span 7 selects 1, --tag tenant=acme selects 3");
}

TEST_F(SliceTest, ReportsWhetherASpanWithoutSamplesExists) {
  const auto error_of = [&](const std::string& span, bool has_scopes) {
    const std::string path = folder_.File("of-" + span + (has_scopes ? "-with.jfr" : ".jfr"));
    test::SpanRecording recording(path);
    recording.Sample(10, {.span = 1, .root = 1});
    if (has_scopes) {
      recording.Scope(60, 62, {.span = 2, .root = 3});
      recording.Scope(80, 81, {.span = 2, .root = 3});
    }
    recording.Seal(100);
    reader_.Read({path}, {.span = span});
    return reader_.error;
  };
  const std::string nothing = "nothing is left of 1 samples: --span ";
  const std::string known =
      " selects 0; the span is known, its scopes last 3.00 ms together, but no sample fell into "
      "them";
  EXPECT_EQ(error_of("2", true), nothing + "2" + known);
  EXPECT_EQ(error_of("3", true), nothing + "3" + known) << "a local root";
  EXPECT_EQ(error_of("4", true), nothing + "4 selects 0; the recording has no such span");
  EXPECT_EQ(error_of("2", false),
            nothing +
                "2 selects 0; a span without samples is known to recordings with spans=1 "
                "(--spans) alone");
}

TEST_F(SliceTest, AdjacentWindowsAddUpToTheWhole) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): all runs are equal
  constexpr int64_t kLengthNs = 10'000 * kSliceMillis;
  {
    Recorder recorder(path_);
    const std::vector<uint32_t> stacks = {recorder.Stack({"a"}), recorder.Stack({"a", "b"})};
    const std::vector<uint32_t> threads = {recorder.Thread(1, "one"), recorder.Thread(2, "two")};
    for (int i = 0; i < 500; ++i) {
      const auto time_ns = static_cast<int64_t>(random() % kLengthNs);
      recorder.Cpu(time_ns, threads[i % 2], stacks[random() % 2]);
      recorder.Wall(time_ns, threads[i % 2], stacks[random() % 2], 1 + random() % 40);
    }
  }
  const SliceTotals whole = Read({});
  for (int i = 0; i < 50; ++i) {
    const std::string cut = std::to_string(random() % kLengthNs) + "ns";
    SliceTotals sum = Read({.until = cut});
    for (const auto& [key, totals] : Read({.from = cut})) {
      sum[key].samples += totals.samples;
      sum[key].value += totals.value;
    }
    EXPECT_EQ(sum, whole) << cut;
  }
}

TEST_F(SliceTest, ASampleCountsForItsPartInTheWindow) {
  {
    Recorder recorder(path_);
    recorder.Wall(1000 * kSliceMillis, recorder.Thread(1, "main"), recorder.Stack({"a"}), 10);
  }
  EXPECT_EQ(Read({.from = "600ms", .until = "800ms"}),
            (SliceTotals{{{"wall", "main", "a.B.a"}, {4, 4}}}));
  ASSERT_THAT(reader_.samples, SizeIs(1));
  const Interval span = IntervalOf(reader_.samples[0]);
  EXPECT_EQ(span.from_ns, kSliceEpoch + 600 * kSliceMillis);
  EXPECT_EQ(span.to_ns, kSliceEpoch + 800 * kSliceMillis);
  EXPECT_EQ(reader_.begin_ns, kSliceEpoch + 600 * kSliceMillis);
}

TEST_F(SliceTest, AnEventIsInEveryWindowThatItReaches) {
  {
    Recorder recorder(path_);
    const uint32_t main = recorder.Thread(1, "main"), other = recorder.Thread(2, "other");
    recorder.Park(100 * kSliceMillis, 500 * kSliceMillis, main);
    recorder.Park(100 * kSliceMillis, 50 * kSliceMillis, other);
    recorder.Park(500 * kSliceMillis, 400 * kSliceMillis, other);
  }
  const auto waits = [&](const SliceOptions& options) {
    WaitReader reader;
    reader.Read({path_}, options);
    return reader.waits;
  };
  EXPECT_THAT(waits({}), ElementsAre("main parked 500", "other parked 50", "other parked 400"));
  EXPECT_THAT(waits({.from = "200ms"}), ElementsAre("main parked 400", "other parked 400"));
  EXPECT_THAT(waits({.from = "150ms", .until = "500ms"}), ElementsAre("main parked 350"));
  EXPECT_THAT(waits({.thread = "other", .from = "800ms"}), ElementsAre("other parked 100"));
}

TEST_F(SliceTest, AnEventHasTheNumberOfItsRecording) {
  const std::string other = folder_.File("b.jfr");
  for (const std::string& path : {path_, other}) {
    Recorder recorder(path);
    recorder.Park(100 * kSliceMillis, 50 * kSliceMillis,
                  recorder.Thread(1, path == other ? "b" : "a"));
  }
  WaitReader reader;
  reader.Read({path_, other}, {});
  EXPECT_THAT(reader.recordings, ElementsAre(0, 1));
}

TEST_F(SliceTest, ReportsWhatEachOptionLeavesIfNothingIsLeft) {
  {
    Recorder recorder(path_);
    const uint32_t stack = recorder.Stack({"a"});
    recorder.Cpu(10 * kSliceMillis, recorder.Thread(1, "main"), stack);
    recorder.Wall(100 * kSliceMillis, recorder.Thread(2, "other"), stack, 5);
  }
  Read({.thread = "main", .state = "sleeping"});
  EXPECT_EQ(reader_.error,
            "nothing is left of 6 samples: --thread main selects 1, --state sleeping selects 5");
  Read({.event = "alloc"});
  EXPECT_EQ(reader_.error,
            "nothing is left of 6 samples: --event alloc selects 0; there are: cpu, wall");
}

TEST_F(SliceTest, RefusesAWindowThatEndsBeforeItBegins) {
  {
    Recorder recorder(path_);
    recorder.Cpu(10 * kSliceMillis, recorder.Thread(1, "main"), recorder.Stack({"a"}));
  }
  EXPECT_THAT(Read({.from = "0s", .until = "2023-11-14T00:00Z"}), IsEmpty());
  EXPECT_THAT(reader_.error, HasSubstr("is not after"));
}

TEST_F(SliceTest, TimesCountFromTheEarliestJoinedFile) {
  const std::string late = folder_.File("late.jfr");
  {
    Recorder recorder(path_);
    recorder.Cpu(10 * kSliceMillis, recorder.Thread(1, "early"), recorder.Stack({"a"}));
  }
  {
    Recorder recorder(late, "10 ms", kSliceEpoch + 10'000 * kSliceMillis);
    recorder.Cpu(10 * kSliceMillis, recorder.Thread(1, "late"), recorder.Stack({"a"}));
  }
  const std::string joined = folder_.File("joined.jfr");
  std::ofstream(joined, std::ios::binary) << std::ifstream(late, std::ios::binary).rdbuf()
                                          << std::ifstream(path_, std::ios::binary).rdbuf();
  EXPECT_THAT(reader_.Read({joined}, {.until = "5s"}), SizeIs(1));
  EXPECT_EQ(reader_.part.ThreadName(0), "early");
  EXPECT_THAT(reader_.part.notes, Contains(HasSubstr("joined in another order")));
  SliceReader later;
  EXPECT_THAT(later.Read({joined}, {.from = "5s"}), SizeIs(1));
  EXPECT_EQ(later.part.ThreadName(0), "late");
}

TEST_F(SliceTest, EqualThreadsAndStacksOfSeveralRecordingsAreOne) {
  const std::string other = folder_.File("b.jfr");
  for (const std::string& path : {path_, other}) {
    Recorder recorder(path);
    const uint32_t thread = recorder.Thread(1, "main");
    if (path == other) recorder.Stack({"nobody"});  // so that this file has other keys
    recorder.Cpu(10 * kSliceMillis, thread, recorder.Stack({"a", "b"}));
    if (path == other)
      recorder.Cpu(20 * kSliceMillis, recorder.Thread(2, "new"), recorder.Stack({"a"}));
  }
  EXPECT_EQ(reader_.Read({path_, other}, {}), (SliceTotals{{{"cpu", "main", "a.B.a;a.B.b"}, {2, 2}},
                                                           {{"cpu", "new", "a.B.a"}, {1, 1}}}));
  EXPECT_THAT(reader_.part.threads(), SizeIs(2));
  EXPECT_THAT(reader_.part.methods(), SizeIs(2));
  EXPECT_THAT(reader_.part.kinds, SizeIs(1));
}

TEST_F(SliceTest, RefusesDifferentIntervalsOrWeighsByTime) {
  const std::string other = folder_.File("b.jfr");
  for (const std::string& path : {path_, other}) {
    Recorder recorder(path, path == path_ ? "10 ms" : "1 ms");
    recorder.Cpu(10 * kSliceMillis, recorder.Thread(1, "main"), recorder.Stack({"a"}));
  }
  EXPECT_THAT(reader_.Read({path_, other}, {}), IsEmpty());
  EXPECT_THAT(reader_.error, HasSubstr("every 10 ms and '" + other + "' every 1 ms"));
  EXPECT_THAT(reader_.error, HasSubstr("--total value"));
  EXPECT_EQ(reader_.Read({path_, other}, {}, Weigh::kValue),
            (SliceTotals{{{"cpu", "main", "a.B.a"}, {2, 11 * kSliceMillis}}}));
  ASSERT_THAT(reader_.part.kinds, SizeIs(1));
  EXPECT_EQ(reader_.part.kinds[0].unit, SampleUnit::kNanos);
  EXPECT_EQ(reader_.part.kinds[0].value, static_cast<uint64_t>(11 * kSliceMillis));
}

TEST_F(SliceTest, TheLastSnapshotWithinTheWindowCounts) {
  test::HeapRecording recording;
  recording.Snapshot({.time_us = 1'000'000,
                      .objects = {{.weight = 1, .error = 3}, {.thread = "other", .weight = 2}}});
  recording.Snapshot({.time_us = 2'000'000, .objects = {{.weight = 4, .error = 7}, {.weight = 8}}});
  recording.Snapshot({.time_us = 3'000'000});
  test::WriteFile(path_, recording.Build());
  const auto live = [this](const SliceOptions& options) {
    uint64_t value = 0;
    for (const auto& [key, totals] : Read(options)) value += totals.value;
    return value;
  };
  EXPECT_EQ(live({}), 0u) << "the last one is empty";
  EXPECT_EQ(live({.until = "3s"}), 12u);
  EXPECT_EQ(reader_.part.kinds[0].variance, 49);
  EXPECT_TRUE(reader_.part.kinds[0].is_snapshot);
  EXPECT_EQ(live({.until = "2s"}), 3u);
  EXPECT_EQ(live({.from = "1s", .until = "2500ms"}), 12u);
  EXPECT_EQ(live({.thread = "other", .until = "2s"}), 2u);
  EXPECT_EQ(live({.thread = "other", .until = "3s"}), 0u) << "its objects have died";
  EXPECT_EQ(live({.from = "1500ms", .until = "1600ms"}), 0u);
  EXPECT_THAT(reader_.error, HasSubstr("nothing is left"));
}

TEST_F(SliceTest, TheLastSnapshotOfEachJvmCounts) {
  const std::string later = folder_.File("b.jfr"), other = folder_.File("c.jfr");
  struct Case {
    std::string path;
    int64_t pid, time_us, weight;
  };
  for (const Case& each :
       {Case{path_, 7, 1'000'000, 1}, Case{later, 7, 2'000'000, 2}, Case{other, 8, 1'500'000, 4}}) {
    test::HeapRecording recording;
    recording.Process(each.pid);
    recording.Allocate({.weight = 100, .allocated_us = each.time_us});
    recording.Snapshot({.time_us = each.time_us, .objects = {{.weight = each.weight}}});
    test::WriteFile(each.path, recording.Build());
  }
  const auto sums = [&](const SliceOptions& options) {
    std::map<std::string, uint64_t> values;
    for (const auto& [key, totals] : reader_.Read({later, path_, other}, options)) {
      values[std::get<0>(key)] += totals.value;
    }
    return values;
  };
  EXPECT_EQ(sums({})["live"], 2u + 4u);
  EXPECT_EQ(sums({})["alloc"], 300u);
  EXPECT_EQ(sums({.until = "1800ms"})["live"], 1u + 4u) << "the later one is outside";
}

TEST(SliceOptionsTest, ErrorsNameTheirOption) {
  const auto error_of = [](const SliceOptions& options) {
    const auto slice = ParseSlice(options);
    return slice.ok() ? "accepted" : slice.error().message();
  };
  EXPECT_THAT(error_of({.include = "("}), HasSubstr("--include '(' is not a regular expression"));
  EXPECT_THAT(error_of({.exclude = R"((a)\1)"}), HasSubstr("--exclude"));
  EXPECT_THAT(error_of({.thread = "a++b"}), HasSubstr("--thread 'a++b' has an empty item"));
  EXPECT_THAT(error_of({.state = "+"}), HasSubstr("--state"));
  EXPECT_THAT(error_of({.from = "noon"}), HasSubstr("--from: 'noon' is not a time"));
  EXPECT_THAT(error_of({.until = "24:00"}), HasSubstr("--until"));
  // These errors are found without a recording.
  EXPECT_EQ(error_of({.from = "20s", .until = "10s"}), "--until '10s' is not after --from '20s'");
  EXPECT_EQ(error_of({.until = "0s"}), "--until '0s' is not after the begin of the recording");
  EXPECT_EQ(error_of({.from = "12:00", .until = "10s"}), "accepted");
}

TEST(SliceOptionsTest, TextsNameTheGivenOptions) {
  const auto slice = ParseSlice({.thread = "main", .until = "10s", .reverse = true});
  ASSERT_TRUE(slice.ok());
  EXPECT_THAT(slice.value().texts(), ElementsAre("--thread main", "--until 10s", "--reverse"));
  EXPECT_TRUE(Slice().IsWhole());
}

}  // namespace
}  // namespace jprof::profile
