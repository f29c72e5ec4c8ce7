// Absolute paths of the files that JVM tests start or load, most of which the build has made.
#pragma once

#include <string>

namespace jprof::test {

std::string AgentLibrary();         // $JPROF_AGENT, or the libprofiler.so of this build
std::string CommandLineProgram();   // jprof of this build
std::string WorkloadClasses();      // class path of test/java/workloads
std::string ContextClasses();       // class path of test/java/context, with jprof.jar
std::string JavaLibrary();          // jprof.jar of this build
std::string ReaderClasses();        // class path of test/java/reader
std::string NativeLibraryFolder();  // java.library.path of test/native
std::string JavaSources();          // folder test/java

}  // namespace jprof::test
