#include "integration/container_fixture.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const char* NameOf(ContainerSpec::Tmp tmp) {
  switch (tmp) {
    case ContainerSpec::Tmp::kWritable:
      return "writable";
    case ContainerSpec::Tmp::kNone:
      return "none";
    case ContainerSpec::Tmp::kReadOnly:
      return "read-only";
  }
  return "";
}

// Returns the first process named java among `pid` and its descendants; 0 if there is none.
pid_t JavaAt(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  std::string name;
  std::getline(std::ifstream(proc + "/comm"), name);
  if (name == "java") return pid;
  std::ifstream children(proc + "/task/" + std::to_string(pid) + "/children");
  for (pid_t child = 0; children >> child;) {
    const pid_t found = JavaAt(child);
    if (found != 0) return found;
  }
  return 0;
}

double NanosSince(steady_clock::time_point start) {
  return static_cast<double>(std::chrono::nanoseconds(steady_clock::now() - start).count());
}

}  // namespace

void ContainerTest::SetUp() {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make the namespaces of a container";
}

Result<ServerProcess> ContainerTest::StartServer(const ContainerSpec& container) const {
  const bool is_whole = container.files == ContainerSpec::Files::kWhole;
  ProcessSpec spec;
  spec.working_directory = "/";
  const std::string scripts = JPROF_CONTAINER_SCRIPTS;
  spec.argv = {"/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child"};
  if (container.has_user_namespace) spec.argv = {scripts + "/enter_user_namespace.sh"};
  spec.argv.insert(spec.argv.end(),
                   {scripts + "/enter_container.sh", is_whole ? "whole" : "jdk-only",
                    NameOf(container.tmp), container.has_read_only_root ? "ro" : "rw",
                    container.user, WorkloadClasses(), NativeLibraryFolder(), jdk().home});
  if (!container.forbidden_call.empty()) {
    spec.argv.insert(spec.argv.end(), {"/usr/bin/env", "LD_PRELOAD=/native/libforbidden_calls.so",
                                       "JPROF_TEST_FORBIDDEN=" + container.forbidden_call,
                                       "JPROF_TEST_ERROR=" + container.error});
  }
  spec.argv.push_back(jdk().Tool("java"));
  spec.argv.insert(spec.argv.end(), container.jvm_options.begin(), container.jvm_options.end());
  spec.argv.insert(spec.argv.end(), {"-Xmx256m", "-cp", "/app", "Server", "1", "1"});
  return ServerProcess::Start(spec);
}

pid_t ContainerTest::JvmOf(const ServerProcess& server) {
  const pid_t pid = JavaAt(server.pid());
  EXPECT_NE(pid, 0) << "no java below process " << server.pid();
  return pid;
}

void ContainerTest::ExpectTruth(ServerProcess& server,
                                const std::vector<std::string>& target) const {
  const auto command = [&](std::vector<std::string> words) {
    words.insert(words.end(), target.begin(), target.end());
    return Jprof(words);
  };
  const auto cpu = [&server] { return server.CpuNanos()["busy-0"]; };
  const double cpu_before = cpu();
  const auto before = steady_clock::now();
  const ProcessResult started =
      command({"start", "-e", "cpu,wall", "--cpu", "10ms", "--wall", "20ms", "-o", "/tmp/out.jfr"});
  EXPECT_EQ(started.exit_code, 0) << started.Describe();
  if (started.exit_code != 0) return;
  const double cpu_from = cpu();
  const auto from = steady_clock::now();
  server.AwaitCpu(kSecond);
  const double least_cpu = cpu() - cpu_from;
  const double least_wall = NanosSince(from);
  const ProcessResult stopped = command({"stop"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.Describe();
  const double most_wall = NanosSince(before);
  const double most_cpu = cpu() - cpu_before;
  const std::string root = "/proc/" + std::to_string(JvmOf(server)) + "/root";
  std::filesystem::copy_file(root + "/tmp/out.jfr", Path("out.jfr"),
                             std::filesystem::copy_options::overwrite_existing);
  const Recording recording = ReadSound("out.jfr");
  const double sampled_cpu = NanosByThread(recording, kExecutionSample, milliseconds(10))["busy-0"];
  const double sampled_wall =
      NanosByThread(recording, kWallClockSample, milliseconds(20))["sleeper-0"];
  EXPECT_GE(sampled_cpu, 0.95 * least_cpu);
  EXPECT_LE(sampled_cpu, 1.05 * most_cpu);
  EXPECT_GE(sampled_wall, 0.95 * least_wall);
  EXPECT_LE(sampled_wall, 1.05 * most_wall);
}

void ContainerTest::ExpectFetched(const std::vector<std::string>& target) const {
  std::vector<std::string> words = {"record", "-e", "wall", "-d", "500ms", "-o", "fetched.jfr"};
  words.insert(words.end(), target.begin(), target.end());
  EXPECT_THAT(Jprof(words), Printed("fetched.jfr"));
  EXPECT_FALSE(SamplesOf(ReadSound("fetched.jfr"), kWallClockSample, "busy-0").empty());
}

ProcessResult ContainerTest::JprofWithRun(const std::string& run,
                                          const std::vector<std::string>& words) const {
  ProcessSpec spec = JprofSpec(words);
  spec.working_directory = folder();
  spec.argv.insert(spec.argv.begin(),
                   {"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                    "mount --rbind \"$1\" /run && shift && exec \"$@\"", "sh", Path(run)});
  return RunProcess(spec);
}

}  // namespace jprof::test
