#include "support/jvm/maven.h"

#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/scoped_fd.h"
#include "support/jvm/process.h"
#include "support/jvm/test_paths.h"

namespace jprof::test {
namespace {

std::string Content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool RunMaven(const std::string& pom, const std::string& goal, const std::string& folder) {
  ProcessSpec maven;
  maven.argv = {"/usr/bin/env",
                "mvn",
                "-q",
                "-B",
                "-f",
                pom,
                "dependency:" + goal,
                "-DoutputDirectory=" + folder,
                "-DmarkersDirectory=" + folder + "/.markers"};
  maven.timeout = std::chrono::seconds(150);
  return RunProcess(maven).exit_code == 0;
}

}  // namespace

bool FetchFromMaven(const std::string& project, const std::string& goal,
                    const std::string& folder) {
  const ScopedFd lock(open((folder + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!lock.valid() || flock(lock.get(), LOCK_EX) != 0) return false;
  const std::string pom = JavaSources() + '/' + project + "/pom.xml";
  // A copy of the pom with which the files were fetched.
  const std::string fetched = folder + ".fetched";
  if (Content(fetched) == Content(pom)) return true;
  std::filesystem::remove_all(folder);
  if (!RunMaven(pom, goal, folder)) return false;
  std::ofstream(fetched, std::ios::binary) << Content(pom);
  return true;
}

}  // namespace jprof::test
