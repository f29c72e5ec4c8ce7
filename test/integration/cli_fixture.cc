#include "integration/cli_fixture.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/text.h"

namespace jprof::test {
namespace {

constexpr useconds_t kPollIntervalMicros = 10'000;
constexpr int kLongestMomentMicros = 30'000'000;

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

void CliTest::AwaitThread(pid_t pid, const std::string& name) {
  while (!HasThread(pid, name)) usleep(kPollIntervalMicros);
}

void CliTest::AwaitRecording(pid_t pid) { AwaitThread(pid, "jprof-recorder"); }

std::string CliTest::Content(const std::string& name) const { return FileContent(Path(name)); }

NewFiles::NewFiles(std::string folder) : folder_(std::move(folder)), before_(Names()) {}

std::vector<std::string> NewFiles::With(const std::string& part) const {
  std::vector<std::string> files;
  for (const std::string& name : Names()) {
    if (before_.count(name) == 0 && name.find(part) != std::string::npos) {
      files.push_back(folder_ + '/' + name);
    }
  }
  return files;
}

std::vector<std::string> NewFiles::LeftWith(const std::string& part) const {
  std::vector<std::string> left = With(part);
  // Another test that runs at the same time kills a view, whose files stay until the next view.
  constexpr char kOfView[] = "jprof-view-";
  if (part.find(kOfView) == std::string::npos) {
    std::erase_if(left, [&](const std::string& path) { return path.find(kOfView) != path.npos; });
  }
  for (int waited = 0; !left.empty() && waited < kLongestMomentMicros;
       waited += kPollIntervalMicros) {
    usleep(kPollIntervalMicros);
    std::erase_if(left, [](const std::string& path) { return !std::filesystem::exists(path); });
  }
  return left;
}

std::set<std::string> NewFiles::Names() const {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.insert(entry.path().filename().string());
  }
  return names;
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
