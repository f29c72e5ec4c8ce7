// Archives of classes (CDS archives, AOT caches). Archived classes can be traced, and no probe gets
// into an archive that a JVM writes.
#include <map>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

// Commands that install probes, which could get into an archive.
const std::vector<std::string> kProbing = {
    "start,lock,file=", "start,trace=java.lang.String.length,file=",
    "start,cpu,begin=java.lang.String.length,file="};

class TraceArchiveTest : public CliTest {
 protected:
  // Runs TracedCalls, which knows the exact counts, from a jar because archives do not accept
  // folders. If `command` is not empty, the program loads the agent with it.
  ProcessResult Run(const std::vector<std::string>& jvm_arguments,
                    const std::string& command = "") const {
    ProcessSpec spec = Java({}, jvm_arguments);
    const std::vector<std::string> program = {
        "-cp", Path("app.jar"), "TracedCalls", "1000", "2", "0", "0"};
    spec.argv.insert(spec.argv.end(), program.begin(), program.end());
    if (!command.empty()) {
      spec.argv.insert(spec.argv.end(), {AgentLibrary(), NativeLibraryFolder(), command});
    }
    return RunProcess(spec);
  }

  // Runs Archived from the jar, which gives these commands to the profiler.
  ProcessResult RunCommands(const std::vector<std::string>& jvm_arguments,
                            const std::vector<std::string>& commands) const {
    ProcessSpec spec = Java({}, jvm_arguments);
    spec.argv.insert(spec.argv.end(),
                     {"-cp", Path("app.jar"), "Archived", AgentLibrary(), NativeLibraryFolder()});
    for (const std::string& command : commands) {
      spec.argv.push_back(command == "stop" ? command : command + Path("out.jfr"));
    }
    return RunProcess(spec);
  }

  static std::string Answer(const ProcessResult& run, size_t command) {
    const std::string key = "answer." + std::to_string(command) + '=';
    const size_t at = run.out.find(key);
    if (at == std::string::npos) return "none: " + run.Describe();
    const size_t begin = at + key.size();
    return run.out.substr(begin, run.out.find('\n', begin) - begin);
  }

  // Expects that a JVM that writes an archive refuses probes but can sample, that it ends normally,
  // and that the archive can be used.
  void ExpectWholeArchive(const std::vector<std::string>& recording, const std::string& flag,
                          const std::vector<std::string>& using_it) const {
    std::vector<std::string> commands = kProbing;
    commands.insert(commands.end(), {"start,cpu=1ms,alloc=64k,wall=10ms,file=", "stop"});
    const ProcessResult run = RunCommands(recording, commands);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    for (size_t i = 0; i < kProbing.size(); ++i) {
      EXPECT_THAT(Answer(run, i),
                  StartsWith("failed: cannot start: this JVM records its classes for an archive (" +
                             flag + ")"));
    }
    EXPECT_THAT(Answer(run, kProbing.size()), StartsWith("recording cpu"));
    EXPECT_THAT(Answer(run, kProbing.size() + 1), StartsWith("stopped: "));
    std::vector<std::string> arguments = using_it;
    arguments.emplace_back("-Xlog:class+load");
    const ProcessResult later = RunCommands(arguments, {kProbing[0], "stop"});
    ASSERT_EQ(later.exit_code, 0) << later.Describe();
    for (const char* archived :
         {"java.lang.Thread", "java.util.concurrent.locks.LockSupport", "Archived"}) {
      EXPECT_THAT(later.out, ContainsRegex(std::string(archived) + " source: shared objects file"))
          << run.Describe();
    }
    EXPECT_THAT(Answer(later, 0), StartsWith("recording waits"));
    EXPECT_EQ(ProgramOutput(later.out).Number("length.1"), 4) << later.Describe();
  }

  void MakeJar() const {
    ProcessSpec jar;
    jar.argv = {jdk().Tool("jar"), "cf", Path("app.jar"), "-C", WorkloadClasses(), "."};
    const ProcessResult made = RunProcess(jar);
    ASSERT_EQ(made.exit_code, 0) << made.Describe();
  }

  std::string Tracing(const std::string& file) const {
    return "start,trace=TracedCalls*.*,file=" + Path(file);
  }

  void ExpectExactCounts(const ProcessResult& run, const std::string& file) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    std::map<std::string, int64_t> calls;
    for (const Event& timing : ReadSound(file).OfType("jdk.MethodTiming")) {
      calls[timing.Text("method.name")] += timing.Number("invocations");
    }
    for (const char* method : {"recurse", "lock", "fail", "share", "compareTo"}) {
      EXPECT_EQ(calls[method], truth.Number(std::string("calls.") + method)) << method;
    }
  }
};
JPROF_ON_JDKS_FROM(13, TraceArchiveTest);  // -XX:ArchiveClassesAtExit

class DumpedArchiveTest : public TraceArchiveTest {};
JPROF_ON_JDKS_FROM(17, DumpedArchiveTest);  // jcmd VM.cds dynamic_dump

class AutomaticArchiveTest : public TraceArchiveTest {};
JPROF_ON_JDKS_FROM(19, AutomaticArchiveTest);  // -XX:+AutoCreateSharedArchive

class AotCacheTest : public TraceArchiveTest {};
JPROF_ON_JDKS_FROM(25, AotCacheTest);  // -XX:AOTCacheOutput

TEST_P(TraceArchiveTest, ArchivedClassesAreTraced) {
  MakeJar();
  const std::string plain = Path("plain.jsa");
  const ProcessResult dumped = Run({"-XX:ArchiveClassesAtExit=" + plain});
  ASSERT_EQ(dumped.exit_code, 0) << dumped.Describe();
  ExpectExactCounts(Run({"-XX:SharedArchiveFile=" + plain, AgentArgument(Tracing("launched.jfr"))}),
                    "launched.jfr");
  const ProcessResult attached =
      Run({"-XX:SharedArchiveFile=" + plain, "-Xlog:class+load"}, Tracing("attached.jfr"));
  ExpectExactCounts(attached, "attached.jfr");
  EXPECT_THAT(attached.out, ContainsRegex("TracedCalls source: shared objects file"));
}

// Here the program loads the agent. With an agent at launch, the JVM would write no dynamic
// archive.
TEST_P(TraceArchiveTest, AnArchiveWrittenAtTheEndHasNoProbes) {
  MakeJar();
  const std::string archive = Path("at_end.jsa");
  ExpectWholeArchive({"-XX:ArchiveClassesAtExit=" + archive}, "-XX:ArchiveClassesAtExit",
                     {"-XX:SharedArchiveFile=" + archive});
}

TEST_P(TraceArchiveTest, ExplainsALaunchThatTheJvmRefuses) {
  MakeJar();
  ProcessSpec spec = JprofSpec({"record", "-o", Path("launched.jfr"), "--"});
  const ProcessSpec java = Java({}, {"-XX:ArchiveClassesAtExit=" + Path("launched.jsa")});
  spec.argv.insert(spec.argv.end(), java.argv.begin(), java.argv.end());
  spec.argv.insert(spec.argv.end(), {"-cp", Path("app.jar"), "Archived", "", ""});
  const ProcessResult run = RunProcess(spec);
  EXPECT_THAT(run, FailedWith(1,
                              "started no JVM that recorded: a JVM that writes an archive of "
                              "classes (-XX:ArchiveClassesAtExit) ends where an agent is there at "
                              "its launch; run the command without jprof, and record its JVM by "
                              "its pid"));
}

TEST_P(DumpedArchiveTest, ADumpedArchiveHasNoProbes) {
  MakeJar();
  const std::string archive = Path("dumped.jsa");
  ExpectWholeArchive({"-XX:+RecordDynamicDumpInfo", "-Ddump=" + archive},
                     "-XX:+RecordDynamicDumpInfo", {"-XX:SharedArchiveFile=" + archive});
}

// The second JVM finds a valid archive. It therefore writes none, and accepts probes.
TEST_P(AutomaticArchiveTest, AnAutomaticArchiveHasNoProbes) {
  MakeJar();
  const std::vector<std::string> automatic = {"-XX:+AutoCreateSharedArchive",
                                              "-XX:SharedArchiveFile=" + Path("automatic.jsa")};
  ExpectWholeArchive(automatic, "-XX:+AutoCreateSharedArchive", automatic);
}

TEST_P(AotCacheTest, AnAotCacheHasNoProbes) {
  MakeJar();
  const std::string cache = Path("app.aot");
  ExpectWholeArchive({"-XX:AOTCacheOutput=" + cache}, "-XX:AOTCacheOutput",
                     {"-XX:AOTCache=" + cache, "-XX:AOTMode=on"});
  const std::string configuration = Path("app.config");
  const std::string assembled = Path("assembled.aot");
  // With an agent at launch, the JVM still writes the AOT cache.
  const ProcessResult launched =
      RunCommands({"-XX:AOTMode=record", "-XX:AOTConfiguration=" + configuration,
                   AgentArgument("start,cpu,lock,file=" + Path("launched.jfr"))},
                  {kProbing[1]});
  EXPECT_EQ(launched.exit_code, 0) << launched.Describe();
  EXPECT_THAT(launched.err, HasSubstr("cannot start: this JVM records its classes for an archive "
                                      "(-XX:AOTConfiguration)"));
  const ProcessResult assembling = RunCommands(
      {"-XX:AOTMode=create", "-XX:AOTConfiguration=" + configuration, "-XX:AOTCache=" + assembled},
      {});
  EXPECT_EQ(assembling.exit_code, 0) << assembling.Describe();
  const ProcessResult used =
      RunCommands({"-XX:AOTCache=" + assembled, "-XX:AOTMode=on"}, {kProbing[1], "stop"});
  EXPECT_EQ(used.exit_code, 0) << used.Describe();
  EXPECT_THAT(Answer(used, 0), StartsWith("recording calls"));
}

TEST_P(AotCacheTest, ClassesOfAnAotCacheAreTraced) {
  MakeJar();
  const std::string cache = "-XX:AOTCache=" + Path("app.aot");
  const ProcessResult trained = Run({"-XX:AOTCacheOutput=" + Path("app.aot")});
  ASSERT_EQ(trained.exit_code, 0) << trained.Describe();
  const ProcessResult launched =
      Run({cache, "-XX:AOTMode=on", "-Xlog:class+load", AgentArgument(Tracing("launched.jfr"))});
  ExpectExactCounts(launched, "launched.jfr");
  const ProcessResult attached =
      Run({cache, "-XX:AOTMode=on", "-Xlog:class+load"}, Tracing("attached.jfr"));
  ExpectExactCounts(attached, "attached.jfr");
  for (const ProcessResult& run : {launched, attached}) {
    EXPECT_THAT(run.out, ContainsRegex("TracedCalls source: shared objects file"));
  }
}

// Samples need no probes, so the JVM that makes the cache can be recorded too.
TEST_P(AotCacheTest, SamplesAreRecordedWithAnAotCache) {
  MakeJar();
  const std::string cache = "-XX:AOTCache=" + Path("app.aot");
  const auto run = [&](const std::vector<std::string>& options, const std::string& file) {
    ProcessSpec spec = Java({}, options);
    spec.argv.push_back(AgentArgument("start,cpu=1ms,wall=10ms,alloc=64k,file=" + Path(file)));
    spec.argv.insert(spec.argv.end(), {"-cp", Path("app.jar"), "BaseOnly", "50000"});
    spec.stdin_text = "\n";
    const ProcessResult result = RunProcess(spec);
    ASSERT_EQ(result.exit_code, 0) << result.Describe();
    const Recording recording = ReadSound(file);
    for (const char* type : {kExecutionSample, "jdk.ObjectAllocationSample", kWallClockSample}) {
      int in_call = 0;
      for (const Event& event : recording.OfType(type)) in_call += event.HasFrame("BaseOnly.call");
      EXPECT_GE(in_call, 20) << type << result.Describe();
    }
  };
  run({"-XX:AOTCacheOutput=" + Path("app.aot")}, "training.jfr");
  run({cache, "-XX:AOTMode=on"}, "with_cache.jfr");
}

}  // namespace
}  // namespace jprof::test
