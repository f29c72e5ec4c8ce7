// Where the build put what the JVM tests start. Absolute paths.
#pragma once

#include <string>

namespace jprof::test {

std::string AgentLibrary();         // $JPROF_AGENT, else the libprofiler.so of this build.
std::string CommandLineProgram();   // The jprof of this build.
std::string WorkloadClasses();      // Class path of test/java/workloads.
std::string ContextClasses();       // Class path of test/java/context, with jprof.jar.
std::string JavaLibrary();          // The jprof.jar of this build.
std::string ReaderClasses();        // Class path of test/java/reader.
std::string NativeLibraryFolder();  // java.library.path of test/native.
std::string JavaSources();          // test/java.

}  // namespace jprof::test
