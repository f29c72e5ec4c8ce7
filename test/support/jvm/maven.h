// RunMaven: what tests need of Maven Central, with the pom beside the workloads.
#pragma once

#include <string>

#include "support/jvm/process.h"

namespace jprof::test {

// mvn dependency:<goal> of test/java/<project>/pom.xml, into `folder`. May need the network.
ProcessResult RunMaven(const std::string& project, const std::string& goal,
                       const std::string& folder);

}  // namespace jprof::test
