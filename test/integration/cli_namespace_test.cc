// jprof, run by root, on JVMs of other users and on JVMs in other namespaces.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

// Returns the only child of a process. REQUIRES: the child has the same parent until it ends.
pid_t ChildOf(pid_t parent) {
  const std::string path = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent);
  pid_t child = 0;
  std::ifstream(path + "/children") >> child;
  return child;
}

std::string Folder(const std::string& file) { return file.substr(0, file.rfind('/')); }

class CliNamespaceTest : public CliTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make namespaces and be other users";
  }

  // Returns a spec that runs Server under another program: `words` come before java.
  ProcessSpec Under(const std::vector<std::string>& words) const {
    ProcessSpec spec = Java({"Server", "1", "0"});
    spec.argv.insert(spec.argv.begin(), words.begin(), words.end());
    spec.working_directory = "/";
    return spec;
  }

  // Returns a spec that runs Server in its own namespaces, like a container, with neither the
  // build's library nor our /tmp in sight. A shell prepares them, and then runs java as the user to
  // which the command `become` switches.
  ProcessSpec InContainer(const std::string& tmpfs_options, const std::string& become) const {
    const std::string script =
        "set -e; mount --bind \"$1\" /mnt; mount -t tmpfs none \"$2\"; "
        "mount -t tmpfs " +
        tmpfs_options + " none /tmp; exec " + become + " \"$3\" -Xmx256m -cp /mnt Server 1 0";
    ProcessSpec spec;
    spec.argv = {"/usr/bin/unshare",
                 "--pid",
                 "--mount",
                 "--fork",
                 "--mount-proc",
                 "/bin/sh",
                 "-c",
                 script,
                 "sh",
                 WorkloadClasses(),
                 Folder(AgentLibrary()),
                 jdk().Tool("java")};
    spec.working_directory = "/";
    return spec;
  }

  void ExpectRecorded(pid_t pid) {
    const NewFiles in_tmp("/proc/" + std::to_string(pid) + "/root/tmp");
    EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
    EXPECT_THAT(JprofOn(pid, {"record", "-d", "500ms", "-o", "out.jfr"}), Printed("out.jfr"));
    EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty());
    EXPECT_THAT(in_tmp.LeftWith(".jprof-"), testing::IsEmpty());
  }
};
JPROF_ON_EVERY_JDK(CliNamespaceTest);

TEST_P(CliNamespaceTest, AnotherUsersJvmIsProfiledAndOwnsItsFiles) {
  auto server = ServerProcess::Start(Under({"/usr/sbin/runuser", "-u", "nobody", "--"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = ChildOf(server.value().pid());
  ExpectRecorded(pid);
  struct stat info;
  ASSERT_EQ(stat(Path("out.jfr").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 0u) << "fetched, for that user cannot write to our folder";
}

TEST_P(CliNamespaceTest, ProfilesAJvmInAContainer) {
  auto server = ServerProcess::Start(InContainer("", ""));
  ASSERT_TRUE(server.ok()) << server.error().message();
  ExpectRecorded(ChildOf(server.value().pid()));
}

TEST_P(CliNamespaceTest, ProfilesAJvmInAContainerWithNoexecTmp) {
  auto server = ServerProcess::Start(InContainer("-o noexec", ""));
  ASSERT_TRUE(server.ok()) << server.error().message();
  ExpectRecorded(ChildOf(server.value().pid()));
}

TEST_P(CliNamespaceTest, ARecordingOfTheContainerItselfStaysInIt) {
  auto server = ServerProcess::Start(InContainer("", ""));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = ChildOf(server.value().pid());
  EXPECT_EQ(JprofOn(pid, {"start", "-o", "/tmp/cli-namespace.jfr"}).exit_code, 0);
  server.value().AwaitCpu(0.1 * kSecond);
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists("/tmp/cli-namespace.jfr"));
  EXPECT_TRUE(
      std::filesystem::exists("/proc/" + std::to_string(pid) + "/root/tmp/cli-namespace.jfr"));
}

}  // namespace
}  // namespace jprof::test
