// jprof, run by root of the host, on JVMs in containers: attaches, records and fetches, and the
// samples are as many as the clocks of the program say.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "integration/container_fixture.h"
#include "support/text.h"

namespace jprof::test {
namespace {

constexpr int kNoAttach = 5;

std::vector<std::string> Pid(pid_t pid) { return {std::to_string(pid)}; }

class CliContainerTest : public ContainerTest {
 protected:
  // Starts a server in a container, records it in both ways, and returns what it printed on standard
  // error, where the agent logs.
  std::string ExpectProfiled(const ContainerSpec& container) const {
    auto server = StartServer(container);
    EXPECT_TRUE(server.ok()) << server.error().message();
    if (!server) return "";
    const pid_t pid = JvmOf(server.value());
    const std::string status = FileContent("/proc/" + std::to_string(pid) + "/status");
    const bool is_filtered = status.find("Seccomp:\t2") != std::string::npos;
    EXPECT_EQ(is_filtered, !container.forbidden_call.empty());
    ExpectTruth(server.value(), Pid(pid));
    ExpectFetched(Pid(pid));
    return server.value().Quit().err;
  }

  // Expects that jprof cannot attach to a server in a container, and names the reason.
  void ExpectNoAttach(const ContainerSpec& container, const std::string& reason) const {
    auto server = StartServer(container);
    ASSERT_TRUE(server.ok()) << server.error().message();
    const ProcessResult refused = JprofOn(JvmOf(server.value()), {"status"});
    EXPECT_THAT(refused, FailedWith(kNoAttach, reason));
    EXPECT_THAT(refused.err, testing::HasSubstr("-agentpath"));
  }
};
JPROF_ON_EVERY_JDK(CliContainerTest);

TEST_P(CliContainerTest, AUserNamespaceWithOtherUsers) {
  ContainerSpec container;
  container.has_user_namespace = true;
  auto server = StartServer(container);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = JvmOf(server.value());
  struct stat info;
  ASSERT_EQ(stat(("/proc/" + std::to_string(pid)).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 100000u);
  ExpectTruth(server.value(), Pid(pid));
  ExpectFetched(Pid(pid));
}

TEST_P(CliContainerTest, AReadOnlyRootWithAWritableTmp) {
  ContainerSpec container;
  container.has_read_only_root = true;
  ExpectProfiled(container);
}

TEST_P(CliContainerTest, AUserWithoutAName) {
  ContainerSpec container;
  container.user = "12345";
  ExpectProfiled(container);
}

TEST_P(CliContainerTest, AFileSystemOfAJdkAlone) {
  ContainerSpec container;
  container.files = ContainerSpec::Files::kJdkOnly;
  container.user = "65532";  // the user "nonroot" of distroless images
  auto server = StartServer(container);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = JvmOf(server.value());
  const std::string root = "/proc/" + std::to_string(pid) + "/root";
  EXPECT_FALSE(std::filesystem::exists(root + "/bin/sh"));
  EXPECT_FALSE(std::filesystem::exists(root + "/usr/bin"));
  ExpectTruth(server.value(), Pid(pid));
  ExpectFetched(Pid(pid));
}

TEST_P(CliContainerTest, AReadOnlyTmpIsNamedAsTheReason) {
  ContainerSpec container;
  container.has_read_only_root = true;
  container.tmp = ContainerSpec::Tmp::kReadOnly;
  ExpectNoAttach(container, "the folder /tmp is read-only in the file system");
}

TEST_P(CliContainerTest, AMissingTmpIsNamedAsTheReason) {
  ContainerSpec container;
  container.tmp = ContainerSpec::Tmp::kNone;
  ExpectNoAttach(container, "has no folder /tmp");
}

// A system call that a filter refuses, and a part of what the agent logs.
struct Refusal {
  const char* call;
  const char* logged;
};

constexpr Refusal kRefusals[] = {
    {"perf_event_open", ""},
    {"process_vm_readv", "process_vm_readv is forbidden"},
    {"ptrace", ""},
    {"timer_create", ""},
};

TEST_P(CliContainerTest, ASeccompFilterThatRefusesWithEperm) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.call);
    ContainerSpec container;
    container.forbidden_call = refusal.call;
    EXPECT_THAT(ExpectProfiled(container), testing::HasSubstr(refusal.logged));
  }
}

TEST_P(CliContainerTest, ASeccompFilterThatRefusesWithEnosys) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.call);
    ContainerSpec container;
    container.forbidden_call = refusal.call;
    container.error = "ENOSYS";
    EXPECT_THAT(ExpectProfiled(container), testing::HasSubstr(refusal.logged));
  }
}

// A cgroup that permits its processes half a processor.
class HalfAProcessor {
 public:
  HalfAProcessor() {
    const std::string root = "/sys/fs/cgroup";
    const bool is_v2 = FileContent(root + "/cgroup.controllers").find("cpu") != std::string::npos;
    if (is_v2) std::ofstream(root + "/cgroup.subtree_control") << "+cpu" << std::flush;
    folder_ = root + (is_v2 ? "" : "/cpu") + "/jprof-test-" + std::to_string(getpid());
    std::error_code error;
    std::filesystem::create_directory(folder_, error);
    std::ofstream limit(folder_ + (is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
    limit << (is_v2 ? "50000 100000" : "50000") << std::flush;
    if (error || !limit) obstacle_ = "cannot limit processors in " + folder_;
  }
  ~HalfAProcessor() {
    std::error_code error;
    // The kernel removes a process from its cgroup a moment after the end of the process.
    for (int i = 0; i < 100 && !std::filesystem::remove(folder_, error); ++i) usleep(50'000);
  }

  // Returns the reason why there is no such cgroup; "" if there is one.
  const std::string& obstacle() const { return obstacle_; }

  bool Take(pid_t pid) const {
    std::ofstream processes(folder_ + "/cgroup.procs");
    processes << pid << std::flush;
    return processes.good();
  }

 private:
  std::string folder_;
  std::string obstacle_;
};

TEST_P(CliContainerTest, HalfAProcessorIsSampledAsItsClocksSay) {
  const HalfAProcessor half;
  if (!half.obstacle().empty()) GTEST_SKIP() << half.obstacle();
  auto server = StartServer({});
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = JvmOf(server.value());
  ASSERT_TRUE(half.Take(pid));
  const double from = server.value().CpuNanos()["busy-0"];
  usleep(1'000'000);
  EXPECT_LT(server.value().CpuNanos()["busy-0"] - from, 0.8 * kSecond) << "the limit has no effect";
  ExpectTruth(server.value(), Pid(pid));
}

// Containers as the state files of their runtimes describe them. The files are in a folder that
// jprof sees as /run.
class RuntimeStateTest : public ContainerTest {
 protected:
  static std::string Id(char digit) { return std::string(64, digit); }

  void Write(const std::string& path, const std::string& text) const {
    const std::string file = Path("run/" + path);
    std::filesystem::create_directories(file.substr(0, file.rfind('/')));
    std::ofstream(file) << text;
  }

  void WriteTask(const std::string& id, pid_t pid, const std::string& annotations) const {
    const std::string folder = "containerd/io.containerd.runtime.v2.task/k8s.io/" + id + "/";
    Write(folder + "config.json", "{\"annotations\":{" + annotations + "}}");
    Write(folder + "init.pid", std::to_string(pid));
  }

  static std::string Pod(const std::string& container, const std::string& pod) {
    return R"("io.kubernetes.cri.container-type":"container","io.kubernetes.cri.container-name":")" +
           container + R"(","io.kubernetes.cri.sandbox-namespace":"prod",)" +
           R"("io.kubernetes.cri.sandbox-name":")" + pod + "\"";
  }

  ProcessResult Run(const std::vector<std::string>& words) const {
    return JprofWithRun("run", words);
  }
};
JPROF_ON_NEWEST_JDK(RuntimeStateTest);

TEST_P(RuntimeStateTest, EveryCommandFindsTheJvmOfAContainer) {
  auto server = StartServer({});
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = JvmOf(server.value());
  WriteTask(Id('a'), pid, Pod("app", "shop-7f8d9-x2k4p"));
  WriteTask(Id('b'), getpid(), Pod("proxy", "shop-7f8d9-x2k4p"));
  EXPECT_THAT(Run({"record", "-e", "wall", "--container", "app", "-d", "300ms", "-o", "out.jfr"}),
              Printed("out.jfr"));
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kWallClockSample, "busy-0").empty());
  EXPECT_EQ(Run({"start", "--container=aaaa", "-o", "/tmp/out.jfr"}).exit_code, 0);
  EXPECT_THAT(Run({"status", "--pod", "shop"}), Printed("state     recording"));
  server.value().AwaitCpu(0.3 * kSecond);
  EXPECT_EQ(Run({"dump", "--pod", "prod/shop-7f8d9-x2k4p"}).exit_code, 0);
  EXPECT_THAT(Run({"view", "hot", "--container", "shop-7f8d9-x2k4p/app"}), Printed("Work.spin"));
  EXPECT_EQ(Run({"stop", "--container", Id('a')}).exit_code, 0);
  EXPECT_THAT(Run({"view", "hot", "-e", "wall", "-d", "300ms", "--pod", "shop"}),
              Printed("Work.spin"));
  EXPECT_THAT(Run({"trace", "--once", "-d", "300ms", "--container", "app", "Work.*"}),
              Printed("Work.spin"));
  EXPECT_THAT(Run({"list"}), Printed("  shop-7f8d9-x2k4p/app  "));
  EXPECT_THAT(Run({"list", "--json"}), Printed("\"container\":\"shop-7f8d9-x2k4p/app\""));
}

TEST_P(RuntimeStateTest, ATargetThatIsNotUniqueIsRefusedWithATable) {
  auto first = StartServer({});
  auto second = StartServer({});
  ASSERT_TRUE(first.ok() && second.ok());
  WriteTask(Id('a'), JvmOf(first.value()), Pod("app", "shop-0"));
  WriteTask(Id('b'), JvmOf(second.value()), Pod("app", "shop-1"));
  WriteTask(Id('c'), getpid(), Pod("proxy", "shop-1"));
  const ProcessResult two = Run({"status", "--container", "app"});
  EXPECT_THAT(two, FailedWith(kNoProcess, "2 JVMs run in container 'app': give the pid of one"));
  EXPECT_THAT(two.err, testing::HasSubstr("shop-1/app"));
  const ProcessResult none = Run({"status", "--container", "proxy"});
  EXPECT_THAT(none, FailedWith(kNoProcess, "no JVM runs in container 'proxy'\n"));
  const ProcessResult unknown = Run({"status", "--pod", "cart"});
  EXPECT_THAT(unknown, FailedWith(kNoProcess, "there is no pod 'cart' on this machine\n"));
  EXPECT_THAT(unknown.err, testing::HasSubstr("shop-0"));
  EXPECT_THAT(Run({"status", "--pod", "shop-1"}), Printed("state     idle"));
}

TEST_P(RuntimeStateTest, AnOrdinaryUserIsToldToUseRoot) {
  WriteTask(Id('a'), getpid(), Pod("app", "shop-0"));
  ASSERT_EQ(chmod(Path("run/containerd/io.containerd.runtime.v2.task").c_str(), 0711), 0);
  for (const char* path : {"run", "run/containerd"}) chmod(Path(path).c_str(), 0711);
  ProcessSpec spec = JprofSpec({"status", "--container", "app"});
  spec.argv.insert(
      spec.argv.begin(),
      {"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
       "mount --rbind \"$1\" /run && shift && exec setpriv --reuid 65534 --regid 65534 "
       "--clear-groups \"$@\"",
       "sh", Path("run")});
  const ProcessResult refused = RunProcess(spec);
  EXPECT_THAT(refused, FailedWith(kPermission, "run jprof as root"));
}

// The program of the container starts other processes, and the pod shares one pid namespace: then
// the name of the cgroup shows to which container a process belongs.
TEST_P(RuntimeStateTest, TheCgroupOfAProcessDecides) {
  const std::string id = "c0ffee" + std::string(58, '0');
  std::string folder;
  for (const char* parent : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (!std::filesystem::exists(std::string(parent) + "/cgroup.controllers")) continue;
    folder = std::string(parent) + "/docker-" + id + ".scope";
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error) GTEST_SKIP() << "cannot make a cgroup: " << error.message();
  }
  if (folder.empty()) GTEST_SKIP() << "there is no cgroup v2 here";
  std::filesystem::create_directories(Path("run"));
  {
    auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
    ASSERT_TRUE(server.ok()) << server.error().message();
    std::ofstream(folder + "/cgroup.procs") << server.value().pid() << std::flush;
    EXPECT_THAT(Run({"list"}), Printed("  c0ffee000000  ")) << "without a state file";
    WriteTask(id, 1, Pod("app", "shop-0"));
    WriteTask(Id('b'), server.value().pid(), Pod("proxy", "shop-0"));
    EXPECT_THAT(Run({"status", "--container", "app"}), Printed("state     idle"));
    EXPECT_THAT(Run({"status", "--container", "proxy"}), FailedWith(kNoProcess, "no JVM runs in"));
  }
  std::filesystem::remove(folder);
}

}  // namespace
}  // namespace jprof::test
