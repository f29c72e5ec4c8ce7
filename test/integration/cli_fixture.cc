#include "integration/cli_fixture.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace jprof::test {
namespace {

constexpr useconds_t kPollIntervalMicros = 10'000;

bool HasThread(pid_t pid, const std::string& name) {
  std::error_code gone;
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(folder, gone)) {
    std::string comm;
    std::getline(std::ifstream(task.path() / "comm"), comm);
    if (comm == name) return true;
  }
  return false;
}

}  // namespace

ProcessSpec CliTest::JprofSpec(const std::vector<std::string>& arguments) {
  ProcessSpec spec;
  spec.argv = {CommandLineProgram()};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  return spec;
}

ProcessResult CliTest::Jprof(const std::vector<std::string>& arguments) const {
  ProcessSpec spec = JprofSpec(arguments);
  spec.working_directory = folder();
  return RunProcess(spec);
}

ProcessResult CliTest::JprofOn(pid_t pid, std::vector<std::string> arguments) const {
  arguments.push_back(std::to_string(pid));
  return Jprof(arguments);
}

void CliTest::AwaitRecording(pid_t pid) {
  while (!HasThread(pid, "jprof-recorder")) usleep(kPollIntervalMicros);
}

std::string CliServerTest::Content(const std::string& name) const {
  std::ifstream file(Path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

int64_t SumOfCounts(const std::string& collapsed) {
  std::istringstream lines(collapsed);
  int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    sum += std::stoll(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

}  // namespace jprof::test
