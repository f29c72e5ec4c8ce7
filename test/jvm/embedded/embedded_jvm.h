// Runs a test body inside a real JVM: a forked child loads a libjvm.so, creates a JVM in a fresh
// thread and calls the body with it. There is one JVM per child, so any number of JDKs fit in one
// test run.
#pragma once

#include <jni.h>

#include <functional>
#include <string>
#include <vector>

namespace jprof {

// Returns the libjvm.so of each JDK under /usr/lib/jvm and of JAVA_HOME, without duplicates.
std::vector<std::string> InstalledLibjvms();

// Collects the failures of a body; the child cannot report to gtest itself.
class ChildReport {
 public:
  void Expect(bool condition, const std::string& sentence) {
    if (!condition) failures_ += sentence + "\n";
  }
  const std::string& failures() const { return failures_; }

 private:
  std::string failures_;
};

// Returns the failures, or "" if the body ran without one. REQUIRES: this process has not started
// threads.
std::string RunInJvm(const std::string& libjvm, const std::vector<std::string>& options,
                     const std::function<void(JNIEnv*, ChildReport*)>& body);

// Calls System.gc().
void CollectGarbage(JNIEnv* env);

}  // namespace jprof
