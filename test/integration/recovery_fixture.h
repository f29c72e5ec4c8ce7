// RecoveryTest: recordings whose JVM is killed, or whose disk is full.
#pragma once

#include <string>
#include <vector>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {

class RecoveryTest : public JvmTest {
 protected:
  // Kills `count` JVMs, each at a random moment of its first seconds, and requires of every file
  // that all readers take it and that at most one chunk is missing.
  void KillAndRead(int count);

  // Records to a disk of each of `count` random sizes until it is full, gives it space and goes on.
  // Skips without the right to mount.
  void FillAndRead(int count);

  ~RecoveryTest() override;

 private:
  struct Killed {
    std::string name;
    int64_t epoch_ns;  // when
  };

  Killed KillAtRandom(ServerProcess& server, const std::string& name, unsigned moment_ms);
  void ExpectReadable(const std::vector<std::string>& names);
  // The whole lines of the agent's log so far.
  std::string AwaitLog(const std::string& name, const std::string& text);
  void FillOne(const std::string& disk, const std::string& run, int kilobytes);

  std::string mounted_;
};

}  // namespace jprof::test
