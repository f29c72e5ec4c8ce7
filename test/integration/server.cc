#include "integration/server.h"

#include <unistd.h>

namespace jprof::test {
namespace {

constexpr useconds_t kServerPollMicros = 20'000;

}  // namespace

Result<ServerProcess> ServerProcess::Start(const ProcessSpec& spec) {
  auto process = RunningProcess::Start(spec);
  if (!process) return process.error();
  const auto ready = process.value().WaitForLine("ready=");
  if (!ready) return ready.error();
  return ServerProcess(std::move(process.value()));
}

std::map<std::string, double> ServerProcess::CpuNanos() {
  process_.WriteLine("cpu");
  std::string lines;
  while (true) {
    const auto line = process_.WaitForLine("");
    if (!line || line.value() == "done=") break;
    lines += line.value() + "\n";
  }
  return ProgramOutput(lines).NumbersOf("cpu.");
}

void ServerProcess::AwaitCpu(double nanos) {
  const double start = CpuNanos()["busy-0"];
  while (true) {
    const auto cpu = CpuNanos();
    const auto busy = cpu.find("busy-0");
    if (busy == cpu.end() || busy->second >= start + nanos) return;
    usleep(kServerPollMicros);
  }
}

ProcessResult ServerProcess::Quit() {
  process_.WriteLine("quit");
  return process_.Wait();
}

}  // namespace jprof::test
