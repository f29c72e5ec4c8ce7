#include "support/jvm/jdk.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>

namespace jprof::test {
namespace {

constexpr std::array kSupportedMajors = {8, 11, 17, 21, 25};

// Returns the major release that the file <home>/release states, as JAVA_VERSION="17.0.15" or
// "1.8.0_452"; 0 if the file does not exist. Debian's JDK 8 has no such file; it is recognised
// because only it has a separate JRE.
int MajorOf(const std::string& home) {
  std::ifstream release(home + "/release");
  std::string line;
  const std::string key = "JAVA_VERSION=\"";
  while (std::getline(release, line)) {
    if (line.rfind(key, 0) != 0) continue;
    std::string version = line.substr(key.size());
    if (version.rfind("1.", 0) == 0) version = version.substr(2);
    return std::atoi(version.c_str());
  }
  return std::filesystem::exists(home + "/jre/lib/rt.jar") ? 8 : 0;
}

std::vector<std::string> CandidateHomes() {
  std::vector<std::string> homes;
  if (const char* configured = std::getenv("JPROF_JDKS")) {
    std::istringstream stream(configured);
    std::string home;
    while (std::getline(stream, home, ':')) homes.push_back(home);
  }
  std::error_code ignored;  // a missing directory has no candidates
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/jvm", ignored)) {
    if (!entry.is_symlink()) homes.push_back(entry.path().string());
  }
  return homes;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Jdk& jdk) {
  return stream << "Jdk" << jdk.major;
}

std::vector<Jdk> JdkList() {
  std::map<int, Jdk> by_major;
  for (const std::string& home : CandidateHomes()) {
    const int major = MajorOf(home);
    const bool is_jdk =
        std::filesystem::exists(home + "/bin/java") && std::filesystem::exists(home + "/bin/jcmd");
    if (major > 0 && is_jdk) by_major.emplace(major, Jdk{major, home});
  }
  std::vector<Jdk> jdks;
  for (const auto& entry : by_major) jdks.push_back(entry.second);
  return jdks;
}

std::vector<Jdk> JdksFrom(int first_major) {
  std::vector<Jdk> jdks = JdkList();
  std::erase_if(jdks, [&](const Jdk& jdk) { return jdk.major < first_major; });
  return jdks;
}

std::vector<Jdk> NewestJdk() {
  std::vector<Jdk> jdks = JdkList();
  if (jdks.size() > 1) jdks.erase(jdks.begin(), jdks.end() - 1);
  return jdks;
}

std::vector<int> MissingJdkMajors() {
  std::vector<int> missing;
  const std::vector<Jdk> installed = JdkList();
  for (const int major : kSupportedMajors) {
    bool found = false;
    for (const Jdk& jdk : installed) found |= jdk.major == major;
    if (!found) missing.push_back(major);
  }
  return missing;
}

Jdk ReaderOf(const Jdk& jdk) {
  return jdk.major >= kFirstMajorWithJfrReader ? jdk : JdkList().back();
}

}  // namespace jprof::test
