// ServerProcess: a running test/java/workloads/Server.java, to which tests attach.
#pragma once

#include <map>
#include <string>

#include "support/jvm/process.h"
#include "support/jvm/program_output.h"

namespace jprof::test {

class ServerProcess {
 public:
  // Starts the server, and returns it when it prints that it is ready. If it fails to start,
  // returns an Error with its output.
  static Result<ServerProcess> Start(const ProcessSpec& spec);

  pid_t pid() const { return process_.pid(); }

  // Returns the CPU time in nanoseconds that each busy thread has used so far, by name.
  std::map<std::string, double> CpuNanos();

  // Returns once the thread "busy-0" has used `nanos` more nanoseconds of CPU time.
  void AwaitCpu(double nanos);

  // Asks the server to end, and returns its result.
  ProcessResult Quit();

 private:
  explicit ServerProcess(RunningProcess process) : process_(std::move(process)) {}

  RunningProcess process_;
};

}  // namespace jprof::test
