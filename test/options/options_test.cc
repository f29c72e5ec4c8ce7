#include "options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "options/option_table.h"
#include "options/parsed_arguments.h"

namespace jprof {
namespace {

using ::testing::Eq;
using ::testing::Optional;

constexpr Nanos kMillisecond = 1'000'000;

Options Accepted(std::string_view text) {
  Result<Options> options = ParseOptions(text);
  EXPECT_TRUE(options.ok()) << text << ": " << options.error().message();
  return options.ok() ? options.value() : Options{};
}

// Returns the interval of `kind`, or nullopt if the kind is not sampled.
std::optional<Nanos> IntervalOf(const Options& options, SampleKind kind) {
  const KindSettings& settings = options.samples[kind];
  return settings.enabled() ? std::optional(settings.interval) : std::nullopt;
}

struct Intervals {
  std::optional<Nanos> cpu_ns;
  std::optional<Nanos> wall_ns;
  bool operator==(const Intervals&) const = default;
};

Intervals IntervalsOf(std::string_view text) {
  const Options options = Accepted(text);
  return {IntervalOf(options, SampleKind::kCpu), IntervalOf(options, SampleKind::kWall)};
}

TEST(OptionsTest, OptionsOfConvertSelectAPartOfTheRecording) {
  const OutputPart whole = Accepted("start,file=a.html").part;
  EXPECT_EQ(whole.first_word, "");
  EXPECT_FALSE(whole.reverse || whole.lines);
  const OutputPart part =
      Accepted(
          "start,thread=http-*+17,state=parked,from=90,until=2m,reverse,lines=1,total=value,"
          "file=a.html")
          .part;
  EXPECT_EQ(part.thread, "http-*+17");
  EXPECT_EQ(part.state, "parked");
  EXPECT_EQ(part.from, "90");
  EXPECT_EQ(part.until, "2m");
  EXPECT_EQ(part.total, "value");
  EXPECT_TRUE(part.reverse && part.lines);
  EXPECT_EQ(part.first_word, "thread=http-*+17");
  EXPECT_FALSE(Accepted("start,lines=0").part.lines);
}

TEST(OptionsTest, StartAloneMeansCpuWithEveryDefault) {
  const Options options = Accepted("start");
  EXPECT_EQ(options.command, Command::kStart);
  EXPECT_THAT(IntervalOf(options, SampleKind::kCpu), Optional(10 * kMillisecond));
  EXPECT_EQ(IntervalOf(options, SampleKind::kWall), std::nullopt);
  EXPECT_THAT(options.file, Optional(Eq("profile-%p-%t.jfr")));
  EXPECT_EQ(options.max_depth, 2048);
  EXPECT_EQ(options.log_level, std::nullopt);
  EXPECT_EQ(options.log_file, std::nullopt);
}

TEST(OptionsTest, OtherCommandsChooseNoEngineAndNoFile) {
  for (const std::string_view name : {"stop", "dump", "status", "version", "help"}) {
    const Options options = Accepted(name);
    EXPECT_EQ(options.command, FindByName(kCommands, name)->id);
    EXPECT_EQ(IntervalOf(options, SampleKind::kCpu), std::nullopt);
    EXPECT_EQ(IntervalOf(options, SampleKind::kWall), std::nullopt);
    EXPECT_EQ(options.file, std::nullopt);
  }
}

TEST(OptionsTest, OrdersEnginesAsTheyWereNamed) {
  for (const std::string_view text :
       {"start,event=wall,cpu", "start,cpu,event=wall", "start,wall,cpu", "start,wall=1s,cpu=1s"}) {
    EXPECT_EQ(Accepted(text).samples[SampleKind::kWall].place, 1) << text;
    EXPECT_EQ(Accepted(text).samples[SampleKind::kCpu].place, 2) << text;
  }
  for (const std::string_view text :
       {"start,event=cpu,wall", "start,wall,event=ctimer", "start,cpu,wall"}) {
    EXPECT_EQ(Accepted(text).samples[SampleKind::kCpu].place, 1) << text;
    EXPECT_EQ(Accepted(text).samples[SampleKind::kWall].place, 2) << text;
  }
}

TEST(OptionsTest, EveryWayToSelectAnEngineSelectsIt) {
  const Intervals cpu{10 * kMillisecond, {}};
  const Intervals wall{{}, 50 * kMillisecond};
  const Intervals both{10 * kMillisecond, 50 * kMillisecond};
  EXPECT_EQ(IntervalsOf("start,event=cpu"), cpu);
  EXPECT_EQ(IntervalsOf("start,event=ctimer"), cpu);
  EXPECT_EQ(IntervalsOf("start,cpu"), cpu);
  EXPECT_EQ(IntervalsOf("start,event=wall"), wall);
  EXPECT_EQ(IntervalsOf("start,wall"), wall);
  EXPECT_EQ(IntervalsOf("start,event=cpu,wall"), both);
  EXPECT_EQ(IntervalsOf("start,wall,event=ctimer"), both);
  EXPECT_EQ(IntervalsOf("start,cpu,wall"), both);
  EXPECT_EQ(IntervalsOf("start,event=cpu,cpu"), cpu);
}

TEST(OptionsTest, EventListsEngines) {
  const Options options = Accepted("start,event=wall,itimer,interval=20ms");
  EXPECT_EQ(options.cpu_trigger, CpuTrigger::kProcessTimer);
  EXPECT_EQ(IntervalOf(options, SampleKind::kCpu), 10 * kMillisecond);
  EXPECT_EQ(IntervalOf(options, SampleKind::kWall), 20 * kMillisecond);
  EXPECT_EQ(IntervalOf(Accepted("start,event='cpu,wall',wall=20ms"), SampleKind::kWall),
            20 * kMillisecond);
  EXPECT_EQ(Accepted("start,event=cpu,perf").cpu_trigger, CpuTrigger::kPerfEvents);
}

TEST(OptionsTest, TheEventChoosesTheCpuTrigger) {
  EXPECT_EQ(Accepted("start,cpu").cpu_trigger, CpuTrigger::kBest);
  EXPECT_EQ(Accepted("start,event=cpu").cpu_trigger, CpuTrigger::kBest);
  EXPECT_EQ(Accepted("start,event=ctimer").cpu_trigger, CpuTrigger::kThreadTimers);
  EXPECT_EQ(Accepted("start,event=perf,interval=1ms").cpu_trigger, CpuTrigger::kPerfEvents);
  EXPECT_EQ(Accepted("start,event=itimer,wall").cpu_trigger, CpuTrigger::kProcessTimer);
}

TEST(OptionsTest, TheSignalOfCpuSamplesIsOptional) {
  EXPECT_EQ(Accepted("start").cpu_signal, std::nullopt);
  EXPECT_EQ(Accepted("start,signal=SIGSTKFLT").cpu_signal, SIGSTKFLT);
  EXPECT_EQ(Accepted("start,event=wall,cpu,signal=pwr").cpu_signal, SIGPWR);
  EXPECT_EQ(Accepted("start,event=itimer,signal=27").cpu_signal, SIGPROF);
}

TEST(OptionsTest, AnIntervalIsForTheFirstEventOrForTheOnlyEngine) {
  const Intervals cpu{5 * kMillisecond, {}};
  EXPECT_EQ(IntervalsOf("start,interval=5ms"), cpu);
  EXPECT_EQ(IntervalsOf("start,event=cpu,interval=5ms"), cpu);
  EXPECT_EQ(IntervalsOf("interval=5ms,event=ctimer,start"), cpu);
  EXPECT_EQ(IntervalsOf("start,cpu,interval=5ms"), cpu);
  EXPECT_EQ(IntervalsOf("start,cpu=5ms"), cpu);
  EXPECT_EQ(IntervalsOf("start,cpu=5000000"), cpu);
  EXPECT_EQ(IntervalsOf("start,wall,interval=5ms"), (Intervals{{}, 5 * kMillisecond}));
  EXPECT_EQ(IntervalsOf("start,event=cpu,wall,interval=5ms"),
            (Intervals{5 * kMillisecond, 50 * kMillisecond}));
  EXPECT_EQ(IntervalsOf("start,event=wall,interval=20ms,cpu"),
            (Intervals{10 * kMillisecond, 20 * kMillisecond}));
  EXPECT_EQ(IntervalsOf("start,event=wall,interval=20ms,cpu=5ms"),
            (Intervals{5 * kMillisecond, 20 * kMillisecond}));
  EXPECT_EQ(IntervalsOf("start,cpu=5ms,wall=100ms"),
            (Intervals{5 * kMillisecond, 100 * kMillisecond}));
}

TEST(OptionsTest, AcceptsTheSameIntervalInBothForms) {
  EXPECT_EQ(IntervalsOf("start,cpu=5ms,interval=5000us"), (Intervals{5 * kMillisecond, {}}));
}

TEST(OptionsTest, AcceptsTheLimitsOfARange) {
  EXPECT_EQ(IntervalsOf("start,cpu=100us,wall=1ms"), (Intervals{kMillisecond / 10, kMillisecond}));
  const Nanos hour = 3600 * kNanosPerSecond;
  EXPECT_EQ(IntervalsOf("start,cpu=1h,wall=60m"), (Intervals{hour, hour}));
  EXPECT_EQ(Accepted("start,jstackdepth=1").max_depth, 1);
  EXPECT_EQ(Accepted("start,jstackdepth=65535").max_depth, 65535);
}

TEST(OptionsTest, ChunkAndMemoryLimitsAreTimesAndSizes) {
  const Options defaults = Accepted("start");
  EXPECT_EQ(defaults.chunk_time_ns, 60 * kNanosPerSecond);
  EXPECT_EQ(defaults.chunk_bytes, 64 << 20);
  EXPECT_EQ(defaults.memory_bytes, 256 << 20);
  const Options given = Accepted("start,chunktime=1s,chunksize=256k,memlimit=2g");
  EXPECT_EQ(given.chunk_time_ns, kNanosPerSecond);
  EXPECT_EQ(given.chunk_bytes, 256 << 10);
  EXPECT_EQ(given.memory_bytes, int64_t{2} << 30);
}

TEST(OptionsTest, WordsComeInAnyOrder) {
  const Options options = Accepted("file=/a/b.jfr,jstackdepth=64,wall=20ms,start,loglevel=debug");
  EXPECT_EQ(options.command, Command::kStart);
  EXPECT_THAT(options.file, Optional(Eq("/a/b.jfr")));
  EXPECT_EQ(options.max_depth, 64);
  EXPECT_THAT(IntervalOf(options, SampleKind::kWall), Optional(20 * kMillisecond));
  EXPECT_THAT(options.log_level, Optional(LogLevel::kDebug));
}

TEST(OptionsTest, PathsMayContainSpacesInsideEqualsSignsAndUtf8) {
  EXPECT_THAT(Accepted("start,file=/a b/c=d/\xc3\xa9.jfr").file,
              Optional(Eq("/a b/c=d/\xc3\xa9.jfr")));
  EXPECT_THAT(Accepted("stop,log=/tmp/x=y").log_file, Optional(Eq("/tmp/x=y")));
}

TEST(OptionsTest, AValueInQuotesMayHoldCommas) {
  const Options options = Accepted("start,file='/a,b=\"c'',d.jfr',wall,log=\"/x,y \"");
  EXPECT_THAT(options.file, Optional(Eq("/a,b=\"c',d.jfr")));
  EXPECT_THAT(options.log_file, Optional(Eq("/x,y ")));
  EXPECT_TRUE(IntervalOf(options, SampleKind::kWall).has_value());
  EXPECT_THAT(Accepted("start,file=/it's.jfr").file, Optional(Eq("/it's.jfr")));
}

TEST(OptionsTest, VersionAndHelpMayPrintToAFile) {
  EXPECT_THAT(Accepted("version,file=/tmp/v").file, Optional(Eq("/tmp/v")));
  EXPECT_THAT(Accepted("help,file=/tmp/h").file, Optional(Eq("/tmp/h")));
}

TEST(OptionsTest, EveryCommandTakesTheLogOptions) {
  for (const CommandRow& command : kCommands) {
    const Options options = Accepted(std::string(command.name) + ",loglevel=none,log=/tmp/l");
    EXPECT_THAT(options.log_level, Optional(LogLevel::kNone));
    EXPECT_THAT(options.log_file, Optional(Eq("/tmp/l")));
  }
}

TEST(OptionsTest, EveryCommandTakesAnAnswerFile) {
  for (const CommandRow& command : kCommands) {
    EXPECT_THAT(Accepted(std::string(command.name) + ",answer=/tmp/a").answer_file,
                Optional(Eq("/tmp/a")));
  }
  EXPECT_EQ(Accepted("stop").answer_file, std::nullopt);
}

TEST(OptionsTest, AStartTakesALease) {
  EXPECT_THAT(Accepted("start,lease=/tmp/l").lease_file, Optional(Eq("/tmp/l")));
  EXPECT_EQ(Accepted("start").lease_file, std::nullopt);
}

TEST(OptionsTest, ALoopNamesEachFileAndLimitsNeedALoop) {
  const Options loop = Accepted("start,loop=5m,maxage=1h,maxsize=2g,file=a-%n.jfr");
  EXPECT_THAT(loop.loop_ns, Optional(300 * kNanosPerSecond));
  EXPECT_THAT(loop.max_age_ns, Optional(3600 * kNanosPerSecond));
  EXPECT_THAT(loop.max_bytes, Optional(int64_t{2} << 30));
  EXPECT_TRUE(ParseOptions("start,loop=1s").ok());  // the default name contains the time
  EXPECT_EQ(Accepted("start").loop_ns, std::nullopt);
  for (const char* refused : {"start,loop=5m,file=a.jfr", "start,loop=5m,file=%%n.jfr",
                              "start,loop=100ms", "start,maxage=1h", "start,maxsize=2g"}) {
    EXPECT_FALSE(ParseOptions(refused).ok()) << refused;
  }
}

TEST(OptionsTest, ATimeoutIsChosenAtStart) {
  EXPECT_THAT(Accepted("start,timeout=2m").timeout_ns, Optional(120 * kNanosPerSecond));
  EXPECT_EQ(Accepted("start").timeout_ns, std::nullopt);
  EXPECT_FALSE(ParseOptions("start,timeout=0s").ok());
  EXPECT_FALSE(ParseOptions("stop,timeout=1s").ok());
}

TEST(OptionsTest, TimesWithoutUnitAreSeconds) {
  EXPECT_THAT(Accepted("start,timeout=2").timeout_ns, Optional(2 * kNanosPerSecond));
  EXPECT_EQ(Accepted("start,chunktime=30").chunk_time_ns, 30 * kNanosPerSecond);
}

// jprof passes the user's words to the agent in an option string, which must not change them.
TEST(OptionsTest, TheOptionStringKeepsTheWordsOfACommandLine) {
  for (const std::string value :
       {"/a b/%p.jfr", "/a,b=c.jfr", "'/x'", "\"", "/it's,\"x\".jfr", "/a "}) {
    const Result<ParsedArguments> words =
        ParsedArguments::FromCommandLine(Command::kStart, {{OptionId::kEvent, "wall,itimer"},
                                                           {OptionId::kWall, "7ms"},
                                                           {OptionId::kFile, value},
                                                           {OptionId::kLogFile, value}});
    ASSERT_TRUE(words.ok()) << words.error().message();
    const Options options = Accepted(words.value().AsOptionString());
    EXPECT_THAT(options.file, Optional(Eq(value)));
    EXPECT_THAT(options.log_file, Optional(Eq(value)));
    EXPECT_EQ(IntervalOf(options, SampleKind::kWall), 7 * kMillisecond);
    EXPECT_EQ(options.cpu_trigger, CpuTrigger::kProcessTimer);
  }
}

TEST(OptionsTest, EveryLogLevelIsAccepted) {
  for (const LogLevelRow& row : kLogLevels) {
    EXPECT_THAT(Accepted("stop,loglevel=" + std::string(row.name)).log_level, Optional(row.level));
  }
}

TEST(OptionTableTest, RowsAreInTheOrderOfTheirIds) {
  for (size_t i = 0; i < kOptions.size(); ++i) EXPECT_EQ(static_cast<size_t>(kOptions[i].id), i);
  for (size_t i = 0; i < kCommands.size(); ++i) EXPECT_EQ(static_cast<size_t>(kCommands[i].id), i);
}

TEST(OptionTableTest, EveryDefaultIsAcceptedWhenWritten) {
  for (const OptionRow& row : kOptions) {
    if (row.default_text.empty()) continue;
    Accepted("start," + std::string(row.name) + "=" + std::string(row.default_text));
  }
}

}  // namespace
}  // namespace jprof
