#include "support/jvm/test_paths.h"

#include <cstdlib>

namespace jprof::test {

std::string AgentLibrary() {
  const char* configured = std::getenv("JPROF_AGENT");
  return configured != nullptr ? configured : JPROF_TEST_AGENT;
}

std::string CommandLineProgram() { return JPROF_TEST_CLI; }
std::string WorkloadClasses() { return JPROF_TEST_WORKLOADS; }
std::string ContextClasses() { return JPROF_TEST_CONTEXT_CLASSES ":" JPROF_TEST_JAR; }
std::string JavaLibrary() { return JPROF_TEST_JAR; }
std::string ReaderClasses() { return JPROF_TEST_READER; }
std::string NativeLibraryFolder() { return JPROF_TEST_NATIVE; }
std::string JavaSources() { return JPROF_TEST_JAVA_SOURCES; }

}  // namespace jprof::test
