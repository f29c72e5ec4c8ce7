// Runs a test body inside a real JVM: a forked child loads a libjvm.so, creates a JVM in a fresh
// thread and calls the body with it. One JVM per child, so any number of JDKs fit in one test run.
#pragma once

#include <jni.h>

#include <functional>
#include <string>
#include <vector>

namespace jprof {

// libjvm.so of each JDK under /usr/lib/jvm and of JAVA_HOME, each once.
std::vector<std::string> InstalledLibjvms();

// Collects what a body finds wrong; the child cannot report to gtest itself.
class ChildReport {
 public:
  void Expect(bool condition, const std::string& sentence) {
    if (!condition) failures_ += sentence + "\n";
  }
  const std::string& failures() const { return failures_; }

 private:
  std::string failures_;
};

// Returns "" if the body ran and found nothing wrong, else what is wrong. Call before this process
// has started threads.
std::string RunInJvm(const std::string& libjvm, const std::vector<std::string>& options,
                     const std::function<void(JNIEnv*, ChildReport*)>& body);

// Calls System.gc().
void CollectGarbage(JNIEnv* env);

}  // namespace jprof
