// ContainerTest: fixture of a test that runs jprof on the host of a program in namespaces like
// those of a container.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {

// The namespaces and the file system of a program. The defaults are those of a container of Docker.
struct ContainerSpec {
  // kWhole: this machine's /usr and /etc. kJdkOnly: nothing but the JDK and the libraries that the
  // JDK needs, so neither a shell nor other tools.
  enum class Files { kWhole, kJdkOnly };
  // kNone: there is no folder /tmp. kReadOnly: /tmp is a folder of the read-only root.
  enum class Tmp { kWritable, kNone, kReadOnly };

  Files files = Files::kWhole;
  Tmp tmp = Tmp::kWritable;
  bool has_user_namespace = false;  // user 0 of the container is user 100000 of the host
  bool has_read_only_root = false;  // everything but /tmp is read-only
  std::string user = "0";           // user and group of the program in the container
  std::string forbidden_call;       // system call that a seccomp filter refuses; "" for none
  std::string error = "EPERM";      // the error with which the filter refuses it
  std::vector<std::string> jvm_options;
};

class ContainerTest : public CliTest {
 protected:
  void SetUp() override;

  // Starts Server with a thread "busy-0" and a thread "sleeper-0".
  Result<ServerProcess> StartServer(const ContainerSpec& container) const;

  // Returns the pid of the JVM that a process of StartServer became, or one of its descendants.
  // Fails the test if there is none.
  static pid_t JvmOf(const ServerProcess& server);

  // Records CPU and wall-clock samples by `jprof start` and `jprof stop`, and compares them with the
  // CPU clock of the thread "busy-0" and the time that passed. `target`: the words that denote the
  // JVM in a command line.
  void ExpectTruth(ServerProcess& server, const std::vector<std::string>& target) const;

  // Records elapsed time for a moment by `jprof record`, which fetches the file from the container.
  void ExpectFetched(const std::vector<std::string>& target) const;

  // Runs jprof in a mount namespace in which the folder `run` of the test is /run.
  ProcessResult JprofWithRun(const std::string& run, const std::vector<std::string>& words) const;
};

}  // namespace jprof::test
