#include "integration/trace_jdk_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

JPROF_ON_EVERY_JDK(TraceJdkTest);

constexpr char kMaps[] =
    "java.util.concurrent.ConcurrentHashMap*.*+java.util.HashMap*.*+java.util.BitSet.flip(I)V";
constexpr char kMapsCounted[] =
    "java.util.concurrent.ConcurrentHashMap*.*:count+java.util.HashMap*.*:count+"
    "java.util.BitSet.flip(I)V:count";

TEST_P(TraceJdkTest, CountsMethodsThatLinkingCallsWithoutOverflow) {
  for (const char* patterns : {kMaps, kMapsCounted}) {
    SCOPED_TRACE(patterns);
    const ProcessResult run = Trace(patterns, 0);
    ExpectSound(run);
    const Recording recording = ReadSound("out.jfr");
    const ProgramOutput truth(run.out);
    ExpectExact(recording, "java.util.concurrent.ConcurrentHashMap.mappingCount", truth);
    ExpectExact(recording, "java.util.HashMap.replace", truth);
    ExpectExact(recording, "java.util.BitSet.flip", truth);
  }
}

TEST_P(TraceJdkTest, CountsMethodsOfThreadsReferencesAndLoaders) {
  const ProcessResult run = Trace(
      "java.lang.ref.*.*+java.lang.Thread*.*+java.lang.ClassLoader.*+java.lang.Virtual*.*+"
      "java.lang.Boolean.logicalXor+java.lang.reflect.*.*:count+java.lang.invoke.CallSite.*",
      0);
  ExpectSound(run);
  const Recording recording = ReadSound("out.jfr");
  ExpectExact(recording, "java.lang.ref.PhantomReference.get", ProgramOutput(run.out));
  ExpectExact(recording, "java.lang.Boolean.logicalXor", ProgramOutput(run.out));
  EXPECT_THAT(run.err, HasSubstr("java.lang.invoke.CallSite is not probed: the probes use it\n"));
}

TEST_P(TraceJdkTest, LeavesOutClassesWhoseLoaderDoesNotFindTheProbes) {
  const ProcessResult run =
      RunProfiled("start,trace=OwnLoaders$Guest.applyAsInt,file=" + Path("out.jfr"),
                  {"OwnLoaders", "refusing", "50"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(ProgramOutput(run.out).Number("failures"), 0) << run.Describe();
  EXPECT_THAT(run.err, HasSubstr("warning: a class OwnLoaders$Guest is not probed: its class "
                                 "loader does not find the class of the probes\n"));
  EXPECT_EQ(ReadSound("out.jfr").Count("jdk.MethodTiming"), 0);
}

TEST_P(TraceJdkTest, CountsCallsOfAClassWhoseNamesakeIsNotProbed) {
  const ProcessResult run =
      RunProfiled("start,trace=OwnLoaders$Guest.applyAsInt,file=" + Path("out.jfr"),
                  {"OwnLoaders", "twins", "50"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(ProgramOutput(run.out).Number("failures"), 0) << run.Describe();
  EXPECT_THAT(run.err, HasSubstr("is not probed: its class loader does not find"));
  EXPECT_EQ(ReadSound("out.jfr").Sum("jdk.MethodTiming", "invocations"), 50) << run.Describe();
}

TEST_P(TraceJdkTest, CountsMethodsThatTheirOwnLoaderOrSecurityManagerCalls) {
  constexpr int kFirstThatAsks = 18;  // first JDK that needs an option to allow a security manager
  constexpr int kFirstWithoutSecurityManager = 24;
  struct Way {
    const char* name;
    const char* method;
    int end_jdk;
  };
  for (const Way& way : {Way{"own", "OwnLoaders$Rule.apply", 999},
                         Way{"secured", "OwnLoaders$Checks.check", kFirstWithoutSecurityManager}}) {
    if (jdk().major >= way.end_jdk) continue;
    SCOPED_TRACE(way.name);
    std::vector<std::string> options = {"-Xcheck:jni"};
    if (jdk().major >= kFirstThatAsks && jdk().major < kFirstWithoutSecurityManager) {
      options.push_back("-Djava.security.manager=allow");
    }
    const ProcessResult run =
        RunProfiled("start,trace=" + std::string(way.method) + ",file=" + Path("out.jfr"),
                    {"OwnLoaders", way.name, "50"}, options);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_EQ(truth.Number("failures"), 0) << run.Describe();
    EXPECT_GE(truth.Number("calls"), 50);
    EXPECT_THAT(run.err, HasSubstr("calls, 0 ended by an exception"));
    const std::vector<Event> timings = ReadSound("out.jfr").OfType("jdk.MethodTiming");
    ASSERT_EQ(timings.size(), 1U);
    EXPECT_EQ(timings[0].Number("invocations"), truth.Number("calls"));
  }
}

}  // namespace
}  // namespace jprof::test
