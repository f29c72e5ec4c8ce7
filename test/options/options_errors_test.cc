// Tests every way in which options are refused, with the error that the user reads.
#include <gtest/gtest.h>

#include <ostream>

#include "options/error_text.h"
#include "options/option_table.h"
#include "options/options.h"

namespace jprof {
namespace {

struct Refusal {
  std::string text;
  std::string message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << Quote(refusal.text); }

class OptionsErrorsTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(OptionsErrorsTest, NamesTheWordAndWhatIsAccepted) {
  const Result<Options> options = ParseOptions(GetParam().text);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().message(), GetParam().message);
}

std::string AllNames() {
  return Join(NamesOf(kCommands)) + ", " + Join(NamesOf(kOptions)) + " (help lists all options)";
}

const char kNoCommand[] =
    ": give exactly one of start, stop, dump, status, version, help, as in "
    "start,event=cpu,file=/abs/out.jfr";
const char kJcmd[] =
    "; jcmd cuts options at the first '=' unless they are quoted twice: jcmd PID "
    "JVMTI.agent_load /path/libprofiler.so '\"start,event=wall,file=/abs/out.jfr\"'";
const char kCpuRange[] = "accepted is 100us to 1h";
const char kNanoseconds[] = "; without unit intervals are nanoseconds";
const char kNotATime[] =
    " is not a time: write a whole number and ns, us, ms, s, m or h, as in 10ms; ";
const char kDepthRange[] = " is out of range: accepted is a whole number from 1 to 65535";

const char kNotASize[] = " is not a size: write a whole number and k, m or g, as in 64m";

TEST(OptionsErrorKindTest, DistinguishesAnUnknownOptionFromAWrongValue) {
  const Error unknown = ParseOptions("start,leese=/a").error();
  EXPECT_EQ(unknown.kind(), ErrorKind::kUnknownOption);
  EXPECT_EQ(unknown.option(), "leese");
  EXPECT_EQ(ParseOptions("start,include=a").error().option(), "include");
  for (const char* const wrong :
       {"start,interval=x", "stop,cpu", "start,,cpu", "", "start,lease"}) {
    EXPECT_EQ(ParseOptions(wrong).error().kind(), ErrorKind::kInvalidCommand) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Limits, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"start,filter=a++b",
                "'filter=a++b' has an empty item: put one + between two threads"},
        Refusal{"start,signal=SIGSEGV", "'signal=SIGSEGV' is none of SIGPROF, SIGSTKFLT, SIGPWR"},
        Refusal{"start,wall,signal=SIGPWR", "'signal=SIGPWR' is for CPU samples: add cpu"},
        Refusal{"start,event=itimer,signal=SIGPWR",
                "'signal=SIGPWR' cannot be had with event=itimer: the kernel sends SIGPROF for it"},
        Refusal{"start,thread=a++b",
                "'thread=a++b' has an empty item: put one + between two threads"},
        Refusal{"start,from=noon",
                "'from=noon' is not a time: write a whole number and ns, us, ms, s, m or h, as in "
                "10ms"},
        Refusal{"start,until=1.5s",
                "'until=1.5s' is not a time: write a whole number and ns, us, ms, s, m or h, as in "
                "10ms"},
        Refusal{"start,state=parked+bogus",
                "'state=parked+bogus' names no state 'bogus': there are running, runnable, "
                "waiting-for-cpu, sleeping, parked, in-object-wait, blocked-on-monitor-enter, "
                "in-io, unknown"},
        Refusal{"start,from=5s,until=2s", "'until=2s' is not after 'from=5s'"},
        Refusal{"start,from=2m,until=90", "'until=90' is not after 'from=2m'"},
        Refusal{"start,until=0s", "'until=0s' is not after the begin of the recording"},
        Refusal{"start,lines=yes", "'lines=yes' is neither 0 nor 1"},
        Refusal{"start,total=bytes", "'total=bytes' is neither samples nor value"},
        Refusal{"start,include=Map",
                "'include' takes a regular expression, which jprof alone has: record to FILE.jfr, "
                "then run 'jprof convert --include REGEX FILE.jfr OUT'"},
        Refusal{
            "stop,thread=main",
            "'thread=main' is chosen at start: stop takes only gc, lease, loglevel, log, answer"},
        Refusal{"start,tlswatcher=yes", "'tlswatcher=yes' is neither 0 nor 1"},
        Refusal{"start,priming=scan+hooks",
                "'priming=scan+hooks': unknown priming path 'hooks': did you mean 'hook'?"},
        Refusal{"start,priming=scan+",
                "'priming=scan+': unknown priming path '': known are scan, jvmti, hook, watcher, "
                "claim"},
        Refusal{"start,priming=scan+scan", "'priming=scan+scan': 'scan' is given twice"},
        Refusal{"start,chunktime=999ms",
                "'chunktime=999ms' is out of range: accepted is 1s to 24h"},
        Refusal{"start,chunktime=0",
                "'chunktime=0' is out of range: accepted is 1s to 24h; without unit times are "
                "seconds"},
        Refusal{"start,memlimit=64",
                "'memlimit=64' is out of range: accepted is 16m to 16g; without unit sizes are "
                "bytes"},
        Refusal{"start,chunktime=1d",
                "'chunktime=1d' is not a time: write a whole number and ns, us, ms, s, m or h, as "
                "in 10ms: accepted is 1s to 24h"},
        Refusal{"start,chunksize=81m", "'chunksize=81m' is out of range: accepted is 256k to 80m"},
        Refusal{"start,chunksize=1mb",
                std::string("'chunksize=1mb'") + kNotASize + ": accepted is 256k to 80m"},
        Refusal{"start,memlimit=1m", "'memlimit=1m' is out of range: accepted is 16m to 16g"},
        Refusal{"start,memlimit=99999999999g",
                "'memlimit=99999999999g' is more than any memory: accepted is 16m to 16g"},
        Refusal{"stop,memlimit=64m",
                "'memlimit=64m' is chosen at start: stop takes only gc, lease, loglevel, log, "
                "answer"}));

INSTANTIATE_TEST_SUITE_P(
    Commands, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"", std::string("no command in ''") + kNoCommand},
        Refusal{"event=cpu,file=x", std::string("no command in 'event=cpu,file=x'") + kNoCommand},
        Refusal{"start,stop",
                "second command 'stop' after 'start': give exactly one of start, stop, dump, "
                "status, version, help"},
        Refusal{"start,start",
                "second command 'start' after 'start': give exactly one of start, stop, dump, "
                "status, version, help"},
        Refusal{"start=1", "'start=1': the command start takes no value"},
        Refusal{"stop=", "'stop=': the command stop takes no value"},
        Refusal{"stop,file=/x",
                "'file=/x' is chosen at start: stop takes only gc, lease, loglevel, log, answer"},
        Refusal{"stop,event=cpu",
                "'event=cpu' is chosen at start: stop takes only gc, lease, loglevel, log, answer"},
        Refusal{"stop,cpu",
                "'cpu' is chosen at start: stop takes only gc, lease, loglevel, log, answer"},
        Refusal{"help,jstackdepth=5",
                "'jstackdepth=5' is chosen at start: help takes only file, loglevel, log, answer"},
        Refusal{
            "version,interval=5ms",
            "'interval=5ms' is chosen at start: version takes only file, loglevel, log, answer"}));

INSTANTIATE_TEST_SUITE_P(
    Words, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"start,intervall=5ms",
                "unknown option 'intervall': did you mean 'interval'? (help lists all options)"},
        Refusal{"START", "unknown option 'START': did you mean 'start'? (help lists all options)"},
        Refusal{"start,File=x",
                "unknown option 'File': did you mean 'file'? (help lists all options)"},
        Refusal{"start,nativemem", "unknown option 'nativemem': known are " + AllNames()},
        Refusal{"start,=5", "unknown option '': known are " + AllNames()},
        Refusal{"start,file =x",
                "unknown option 'file ': did you mean 'file'? (help lists all options)"},
        Refusal{"start,,cpu", "empty word in 'start,,cpu': put one comma between two words"},
        Refusal{"start,", "empty word in 'start,': put one comma between two words"},
        Refusal{",start", "empty word in ',start': put one comma between two words"},
        Refusal{"start, cpu", "space around ' cpu': write the words without spaces"},
        Refusal{" start", "space around ' start': write the words without spaces"},
        Refusal{"start,file=x ", "space around 'file=x ': write the words without spaces"},
        Refusal{"start\n", "control character in 'start\\x0a': options are one line of words"},
        Refusal{"start,\tcpu",
                "control character in 'start,\\x09cpu': options are one line of words"},
        Refusal{std::string("start\0", 6),
                "control character in 'start\\x00': options are one line of words"},
        Refusal{"start,file='/a,b.jfr", "'file='/a,b.jfr' has no closing '"},
        Refusal{"start,file=\"/a\"b.jfr",
                "'file=\"/a\"b.jfr' continues after the closing \": write that twice where it is "
                "part of the value"},
        Refusal{"start,cpu,cpu", "'cpu' is given twice: 'cpu' and 'cpu'"},
        Refusal{"start,file=a,file=b", "'file' is given twice: 'file=a' and 'file=b'"}));

INSTANTIATE_TEST_SUITE_P(
    MissingValues, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"start,event", std::string("'event' has no value: write event=EVENT") + kJcmd},
        Refusal{"start,interval",
                std::string("'interval' has no value: write interval=TIME") + kJcmd},
        Refusal{"start,file", std::string("'file' has no value: write file=PATTERN") + kJcmd},
        Refusal{"start,jstackdepth",
                std::string("'jstackdepth' has no value: write jstackdepth=N") + kJcmd},
        Refusal{"stop,loglevel",
                std::string("'loglevel' has no value: write loglevel=LEVEL") + kJcmd},
        Refusal{"stop,log", std::string("'log' has no value: write log=PATH") + kJcmd},
        Refusal{"start,event=", "'event=' has an empty value: write event=EVENT"},
        Refusal{"start,file=", "'file=' has an empty value: write file=PATTERN"},
        Refusal{"start,cpu=", "'cpu=' has an empty value: write cpu[=TIME]"}));

INSTANTIATE_TEST_SUITE_P(
    Values, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"start,event=CPU", "unknown event 'CPU': did you mean 'cpu'?"},
        Refusal{"start,event=nativemem",
                "unknown event 'nativemem': known are cpu, ctimer, perf, itimer, wall, alloc, "
                "lock, nativelock"},
        Refusal{"start,event=cpu,nativemem",
                "unknown event 'nativemem': known are cpu, ctimer, perf, itimer, wall, alloc, "
                "lock, nativelock"},
        Refusal{"start,event=wall,cpu,nativemem,file=/x.jfr",
                "unknown event 'nativemem': known are cpu, ctimer, perf, itimer, wall, alloc, "
                "lock, nativelock"},
        Refusal{"start,event=cpu,intervall",
                "unknown option 'intervall': did you mean 'interval'? (help lists all options)"},
        Refusal{"start,alloc=0",
                "'alloc=0' is out of range for alloc: accepted is 4k to 1g; without unit intervals "
                "are bytes"},
        Refusal{"start,event=alloc,interval=1",
                "'interval=1' is out of range for alloc: accepted is 4k to 1g; without unit "
                "intervals are bytes"},
        Refusal{"start,alloc=4095",
                "'alloc=4095' is out of range for alloc: accepted is 4k to 1g; without unit "
                "intervals are bytes"},
        Refusal{"start,alloc=2g", "'alloc=2g' is out of range for alloc: accepted is 4k to 1g"},
        Refusal{"start,alloc=10ms",
                "'alloc=10ms' is not a size: write a whole number and k, m or g, as in 64m; "
                "accepted is 4k to 1g"},
        Refusal{"start,audit=1%",
                "'audit=1%' is for samples of allocations and locks: add alloc or lock"},
        Refusal{"start,alloc,audit=1",
                "'audit=1' is not below 1: write a larger share with %, as in 1% or 100%"},
        Refusal{"start,alloc,audit=101%", "'audit=101%' is more than 100%"},
        Refusal{"start,alloc,audit=some",
                "'audit=some' is not a share: write a percentage such as 1%, or a number below 1 "
                "such as 0.01"},
        Refusal{"start,alloc,cstack=agct,audit=1%",
                "'audit=1%' is for stacks that jprof walks itself: leave out 'cstack=agct'"},
        Refusal{"start,cpu,tlab=1", "'tlab=1' is for allocations: add alloc"},
        Refusal{"start,cpu,live", "'live' is for allocations: add alloc"},
        Refusal{"start,alloc,live=2", "'live=2' is neither 0 nor 1"},
        Refusal{"status,gc", "'gc' is for other commands: status takes only loglevel, log, answer"},
        Refusal{"dump,gc=yes", "'gc=yes' is neither 0 nor 1"},
        Refusal{"start,alloc,tlab=2", "'tlab=2' is neither 0 nor 1"},
        Refusal{"start,event=itimer,perf",
                "'itimer' and 'perf' are both ways to sample cpu: give one of them"},
        Refusal{"stop,loglevel=warning",
                "unknown log level 'warning': known are trace, debug, info, warn, error, none"},
        Refusal{"stop,loglevel=INFO", "unknown log level 'INFO': did you mean 'info'?"},
        Refusal{"start,jstackdepth=0", std::string("'jstackdepth=0'") + kDepthRange},
        Refusal{"start,jstackdepth=65536", std::string("'jstackdepth=65536'") + kDepthRange},
        Refusal{"start,jstackdepth=-1", std::string("'jstackdepth=-1'") + kDepthRange},
        Refusal{"start,jstackdepth=4294967297",
                std::string("'jstackdepth=4294967297'") + kDepthRange},
        Refusal{"start,jstackdepth=2k", std::string("'jstackdepth=2k'") + kDepthRange}));

INSTANTIATE_TEST_SUITE_P(
    Intervals, OptionsErrorsTest,
    ::testing::Values(
        Refusal{"start,cpu=0",
                std::string("'cpu=0' is out of range for cpu: ") + kCpuRange + kNanoseconds},
        Refusal{"start,cpu=10",
                std::string("'cpu=10' is out of range for cpu: ") + kCpuRange + kNanoseconds},
        Refusal{"start,cpu=99us", std::string("'cpu=99us' is out of range for cpu: ") + kCpuRange},
        Refusal{"start,cpu=61m", std::string("'cpu=61m' is out of range for cpu: ") + kCpuRange},
        Refusal{"start,event=wall,interval=999us",
                "'interval=999us' is out of range for wall: accepted is 1ms to 1h"},
        Refusal{"start,cpu=99999999999999h",
                std::string("'cpu=99999999999999h' is longer than any time the profiler can "
                            "hold; ") +
                    kCpuRange},
        Refusal{"start,cpu=1.5ms", std::string("'cpu=1.5ms'") + kNotATime + kCpuRange},
        Refusal{"start,cpu=-5ms", std::string("'cpu=-5ms'") + kNotATime + kCpuRange},
        Refusal{"start,cpu=10MS", std::string("'cpu=10MS'") + kNotATime + kCpuRange},
        Refusal{"start,interval=5 ms", std::string("'interval=5 ms'") + kNotATime + kCpuRange},
        Refusal{"start,cpu,wall,interval=5ms",
                "'interval=5ms' does not say which engine it is for: write 'cpu=5ms or wall=5ms'"},
        Refusal{"start,cpu=5ms,interval=6ms",
                "'cpu=5ms' and 'interval=6ms' contradict each other: give one of them"},
        Refusal{"start,event=wall,interval=20ms,wall=30ms",
                "'wall=30ms' and 'interval=20ms' contradict each other: give one of them"}));

}  // namespace
}  // namespace jprof
