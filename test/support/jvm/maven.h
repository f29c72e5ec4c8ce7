// FetchFromMaven: fetches what tests need from Maven Central, with a pom in test/java.
#pragma once

#include <string>

namespace jprof::test {

// Runs mvn dependency:<goal> with test/java/<project>/pom.xml into `folder`. Does nothing if an
// earlier run has done so. Tests that run at the same time wait for each other. Returns false if
// the files cannot be fetched.
bool FetchFromMaven(const std::string& project, const std::string& goal, const std::string& folder);

}  // namespace jprof::test
