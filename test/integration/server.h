// ServerProcess: a running test/java/workloads/Server.java to attach to.
#pragma once

#include <map>
#include <string>

#include "support/jvm/process.h"
#include "support/jvm/program_output.h"

namespace jprof::test {

class ServerProcess {
 public:
  // Returns the server when it is running and ready, or an Error with its output if it fails to
  // start.
  static Result<ServerProcess> Start(const ProcessSpec& spec);

  pid_t pid() const { return process_.pid(); }

  // Returns the CPU nanoseconds of the busy threads so far, by name.
  std::map<std::string, double> CpuNanos();

  // Returns once "busy-0" has used `nanos` more CPU time.
  void AwaitCpu(double nanos);

  // Asks the server to end, and returns its result.
  ProcessResult Quit();

 private:
  explicit ServerProcess(RunningProcess process) : process_(std::move(process)) {}

  RunningProcess process_;
};

}  // namespace jprof::test
