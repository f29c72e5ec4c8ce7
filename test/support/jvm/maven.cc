#include "support/jvm/maven.h"

#include "support/jvm/test_paths.h"

namespace jprof::test {

ProcessResult RunMaven(const std::string& project, const std::string& goal,
                       const std::string& folder) {
  ProcessSpec maven;
  maven.argv = {"/usr/bin/env",
                "mvn",
                "-q",
                "-B",
                "-f",
                JavaSources() + '/' + project + "/pom.xml",
                "dependency:" + goal,
                "-DoutputDirectory=" + folder};
  maven.timeout = std::chrono::seconds(150);
  return RunProcess(maven);
}

}  // namespace jprof::test
