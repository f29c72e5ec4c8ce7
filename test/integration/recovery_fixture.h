// RecoveryTest: fixture for recordings whose JVM is killed or whose disk is full.
#pragma once

#include <string>
#include <vector>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {

class RecoveryTest : public JvmTest {
 protected:
  // Kills `count` JVMs, each at a random moment of its first seconds. Expects that all readers
  // accept every file and that at most one chunk is missing.
  void KillAndRead(int count);

  // Records to disks of `count` random sizes. When a disk is full, frees space, and lets the
  // recording continue. Skips the test if mounting is not permitted.
  void FillAndRead(int count);

  ~RecoveryTest() override;

 private:
  struct Killed {
    std::string name;
    int64_t epoch_ns;  // time of the kill
  };

  Killed KillAtRandom(ServerProcess& server, const std::string& name, unsigned moment_ms);
  void ExpectReadable(const std::vector<std::string>& names);
  // Waits until the agent's log contains `text`, and returns the complete lines of the log.
  std::string AwaitLog(const std::string& name, const std::string& text);
  void FillOne(const std::string& disk, const std::string& run, int kilobytes);

  std::string mounted_;
};

}  // namespace jprof::test
