// Traces packages that all code uses, for two minutes on each JDK, in every mode of the JVM.
#include "integration/trace_jdk_test.h"

namespace jprof::test {
namespace {

class TraceJdkLongTest : public TraceJdkTest {};
JPROF_ON_EVERY_JDK(TraceJdkLongTest);

TEST_P(TraceJdkLongTest, PackagesThatEverythingUsesAreTracedWithoutOverflow) {
  constexpr int kSecondsOfARun = 2;
  for (const char* package : {"java.lang.*.*", "java.util.*.*", "java.util.concurrent.*.*",
                              "java.lang.ref.*.*", "java.lang.invoke.*.*"}) {
    for (const char* form : {"", ":count"}) {
      for (const char* mode :
           {"-Xmixed", "-Xint", "-XX:TieredStopAtLevel=1", "-Xcheck:jni", "-Xcomp"}) {
        SCOPED_TRACE(std::string(package) + form + " " + mode);
        ExpectSound(Trace(std::string(package) + form, kSecondsOfARun, {mode}));
      }
    }
  }
}

}  // namespace
}  // namespace jprof::test
