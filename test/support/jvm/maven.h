// FetchFromMaven: what tests need of Maven Central, with the pom beside the workloads.
#pragma once

#include <string>

namespace jprof::test {

// mvn dependency:<goal> of test/java/<project>/pom.xml, into `folder`, unless it was done before.
// Tests that run side by side wait for each other. False: it cannot be had.
bool FetchFromMaven(const std::string& project, const std::string& goal, const std::string& folder);

}  // namespace jprof::test
