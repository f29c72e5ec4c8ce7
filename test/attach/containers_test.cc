// Tests of the list of containers, on trees of state files that the test makes.
#include "attach/containers.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "attach/fake_jvm.h"

namespace jprof {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Property;
using testing::UnorderedElementsAre;

const std::string kWebId = "c0ffee" + std::string(58, '1');
const std::string kDbId = "c0ffee" + std::string(58, '2');
const std::string kAppId = std::string(64, 'a');

constexpr char kTasks[] = "/run/containerd/io.containerd.runtime.v2.task/";
constexpr char kPods[] = "/run/containers/storage/overlay-containers/";
constexpr char kStorage[] = "/var/lib/containers/storage/overlay-containers/";

std::string Annotations(const std::string& pairs) { return "{\"annotations\":{" + pairs + "}}"; }

class ContainersTest : public testing::Test {
 protected:
  ContainersTest() {
    std::string pattern = testing::TempDir() + "containers-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~ContainersTest() override {
    for (const auto& each : fs::recursive_directory_iterator(root_)) {
      if (each.is_directory() && !each.is_symlink()) chmod(each.path().c_str(), 0700);
    }
    fs::remove_all(root_);
  }

  void Write(const std::string& path, const std::string& text) const {
    const fs::path file = root_ + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  // Writes the state that containerd keeps of a container.
  void WriteTask(const std::string& id, pid_t pid, const std::string& annotations,
                 const std::string& space = "k8s.io") const {
    Write(kTasks + space + "/" + id + "/config.json", Annotations(annotations));
    Write(kTasks + space + "/" + id + "/init.pid", std::to_string(pid));
  }

  std::vector<Container> List() const { return ListContainers(root_).containers; }

  static std::vector<std::string> Names(const std::vector<Container>& containers) {
    std::vector<std::string> names;
    for (const Container& each : containers) names.push_back(each.ShownName());
    return names;
  }

  std::string root_;
};

constexpr char kShopApp[] =
    R"("io.kubernetes.cri.container-name":"app","io.kubernetes.cri.container-type":"container",
       "io.kubernetes.cri.sandbox-name":"shop-7f8d9-x2k4p",
       "io.kubernetes.cri.sandbox-namespace":"prod")";

TEST_F(ContainersTest, ListsContainersOfContainerdWithoutSandboxes) {
  WriteTask(kAppId, getpid(), kShopApp);
  WriteTask(kWebId, getpid(), R"("io.kubernetes.cri.container-type":"sandbox")");
  WriteTask("plain", getpid(), "", "default");
  const std::vector<Container> all = List();
  ASSERT_THAT(Names(all), ElementsAre("plain", "shop-7f8d9-x2k4p/app"));
  EXPECT_EQ(all[1].id, kAppId);
  EXPECT_EQ(all[1].pod_namespace, "prod");
  EXPECT_EQ(all[1].runtime, "containerd");
  EXPECT_EQ(all[1].init_pid, getpid());
}

TEST_F(ContainersTest, TakesDockersNamesFromDockersFolder) {
  WriteTask(kWebId, getpid(), "", "moby");
  Write("/var/lib/docker/containers/" + kWebId + "/config.v2.json", R"({"Name":"/web"})");
  const std::vector<Container> all = List();
  ASSERT_THAT(Names(all), ElementsAre("web"));
  EXPECT_EQ(all[0].runtime, "docker");
}

TEST_F(ContainersTest, ListsContainersOfCriOAndPodman) {
  const std::string userdata = "/userdata/";
  Write(kPods + kAppId + userdata + "config.json",
        Annotations(R"("io.container.manager":"cri-o","io.kubernetes.container.name":"app",
            "io.kubernetes.pod.name":"shop-0","io.kubernetes.pod.namespace":"prod")"));
  Write(kPods + kAppId + userdata + "pidfile", std::to_string(getpid()));
  Write(kPods + kWebId + userdata + "pidfile", std::to_string(getpid()));
  Write(kStorage + kWebId + userdata + "config.json",
        Annotations(R"("io.container.manager":"libpod")"));
  Write(kStorage + std::string("containers.json"),
        "[{\"id\":\"" + kWebId + "\",\"names\":[\"web\"]}]");
  const std::vector<Container> all = List();
  ASSERT_THAT(Names(all), ElementsAre("shop-0/app", "web"));
  EXPECT_EQ(all[0].runtime, "cri-o");
  EXPECT_EQ(all[1].runtime, "podman");
  EXPECT_EQ(all[1].init_pid, getpid());
}

TEST_F(ContainersTest, AContainerIsFoundByNameAndByTheBeginningOfItsId) {
  WriteTask(kWebId, 1, R"("nerdctl/name":"web")", "default");
  WriteTask(kDbId, 1, R"("nerdctl/name":"c0ff")", "default");
  WriteTask(kAppId, 1, kShopApp);
  const std::vector<Container> all = List();
  EXPECT_THAT(Names(MatchingContainers(all, "web")), ElementsAre("web"));
  EXPECT_THAT(Names(MatchingContainers(all, "app")), ElementsAre("shop-7f8d9-x2k4p/app"));
  EXPECT_THAT(Names(MatchingContainers(all, "shop-7f8d9-x2k4p/app")),
              ElementsAre("shop-7f8d9-x2k4p/app"));
  EXPECT_THAT(Names(MatchingContainers(all, kAppId)), ElementsAre("shop-7f8d9-x2k4p/app"));
  EXPECT_THAT(Names(MatchingContainers(all, "aaaa")), ElementsAre("shop-7f8d9-x2k4p/app"));
  EXPECT_THAT(Names(MatchingContainers(all, "c0ff")), ElementsAre("c0ff")) << "a name comes first";
  EXPECT_THAT(Names(MatchingContainers(all, "c0ffe")), UnorderedElementsAre("web", "c0ff"));
  for (const char* none : {"aaa", "", "we", "shop-7f8d9-x2k4p"}) {
    EXPECT_THAT(MatchingContainers(all, none), IsEmpty()) << none;
  }
}

TEST_F(ContainersTest, APodIsFoundByNameNamespaceAndDeployment) {
  WriteTask(kAppId, 1, kShopApp);
  WriteTask(
      kWebId, 1,
      R"("io.kubernetes.cri.container-name":"app","io.kubernetes.cri.sandbox-name":"shop-db-0",
               "io.kubernetes.cri.sandbox-namespace":"test")");
  WriteTask(kDbId, 1, R"("nerdctl/name":"shop-7f8d9-x2k4p")", "default");
  const std::vector<Container> all = List();
  const std::string app = "shop-7f8d9-x2k4p/app";
  EXPECT_THAT(Names(ContainersOfPod(all, "shop-7f8d9-x2k4p")), ElementsAre(app));
  EXPECT_THAT(Names(ContainersOfPod(all, "prod/shop-7f8d9-x2k4p")), ElementsAre(app));
  EXPECT_THAT(Names(ContainersOfPod(all, "prod/shop")), ElementsAre(app));
  EXPECT_THAT(Names(ContainersOfPod(all, "shop")), UnorderedElementsAre(app, "shop-db-0/app"));
  EXPECT_THAT(Names(ContainersOfPod(all, "shop-db")), ElementsAre("shop-db-0/app"));
  for (const char* none : {"", "sho", "test/shop-7f8d9-x2k4p", "prod", "app"}) {
    EXPECT_THAT(ContainersOfPod(all, none), IsEmpty()) << none;
  }
}

TEST_F(ContainersTest, APidThatAnotherProcessGotLaterIsNotTheContainers) {
  WriteTask(kAppId, getpid(), kShopApp);
  const std::string file = root_ + kTasks + "k8s.io/" + kAppId + "/init.pid";
  ASSERT_EQ(List().at(0).init_pid, getpid());
  const timespec long_ago[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), long_ago, 0), 0);
  EXPECT_EQ(List().at(0).init_pid, 0);
}

TEST_F(ContainersTest, FollowsNoLinksAndReadsOnlyRegularFilesOfALimitedSize) {
  const std::string folder = root_ + kTasks + "k8s.io/";
  Write("/elsewhere/config.json", Annotations(R"("nerdctl/name":"linked")"));
  Write("/elsewhere/init.pid", std::to_string(getpid()));
  fs::create_directories(folder + "file-link");
  fs::create_symlink(root_ + "/elsewhere/config.json", folder + "file-link/config.json");
  fs::create_symlink(root_ + "/elsewhere/init.pid", folder + "file-link/init.pid");
  fs::create_symlink(root_ + "/elsewhere", folder + "folder-link");
  fs::create_directories(folder + "pipe");
  ASSERT_EQ(mkfifo((folder + "pipe/config.json").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder + "pipe/init.pid").c_str(), 0600), 0);
  Write(kTasks + std::string("k8s.io/long/config.json"),
        Annotations("\"nerdctl/name\":\"long\"") + std::string(5 << 20, ' '));
  Write(kTasks + std::string("k8s.io/long/init.pid"), std::string(1000, ' '));
  for (const Container& each : List()) {
    EXPECT_EQ(each.name, "") << each.id;
    EXPECT_EQ(each.init_pid, 0) << each.id;
  }
}

TEST_F(ContainersTest, NamesTheFoldersThatTheUserMayNotRead) {
  WriteTask(kAppId, getpid(), kShopApp);
  chmod(root_.c_str(), 0755);
  chmod((root_ + kTasks + "k8s.io").c_str(), 0);
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const ContainerList list = ListContainers(root_);
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_THAT(list.containers, IsEmpty());
  EXPECT_THAT(list.unreadable, testing::Not(IsEmpty()));
}

TEST_F(ContainersTest, ThereAreNoContainersWithoutARuntime) {
  const ContainerList list = ListContainers(root_);
  EXPECT_THAT(list.containers, IsEmpty());
  EXPECT_THAT(list.unreadable, IsEmpty());
}

TEST(ContainerIdTest, IsInTheNameOfTheCgroup) {
  for (const std::string& cgroup :
       {"0::/system.slice/docker-" + kAppId + ".scope\n", "0::/docker/" + kAppId + "\n",
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/"
        "cri-containerd-" +
            kAppId + ".scope\n",
        "0::/machine.slice/libpod-" + kAppId + ".scope/container\n",
        "12:memory:/kubepods/besteffort/pod1-2/" + kAppId + "\n0::/\n",
        "0::/docker/" + kWebId + "/kubelet/kubepods/pod1/" + kAppId + "\n",
        "0::/system.slice:docker:" + kAppId + "\n"}) {
    EXPECT_EQ(ContainerIdIn(cgroup), kAppId) << cgroup;
  }
  for (const std::string& cgroup :
       {std::string("0::/\n"), std::string(), "0::/user.slice/x" + kAppId + "\n",
        "0::/" + std::string(64, 'g') + "\n", "0::/" + kAppId.substr(1) + "\n"}) {
    EXPECT_EQ(ContainerIdIn(cgroup), "") << cgroup;
  }
}

TEST_F(ContainersTest, TheFirstProcessOfAContainerIsInIt) {
  test::FakeJvm::Plan plan;
  plan.folder = root_;
  const test::FakeJvm jvm(plan);
  const test::FakeJvm other(plan);
  WriteTask("web", jvm.pid(), "", "default");
  const ContainerFinder finder(root_);
  ASSERT_NE(finder.Of(jvm.pid()), nullptr);
  EXPECT_EQ(finder.Of(jvm.pid())->id, "web");
  EXPECT_EQ(finder.NameOf(jvm.pid()), "web");
  EXPECT_EQ(finder.Of(other.pid()), nullptr) << "in the pid namespace of the test";
  EXPECT_EQ(finder.NameOf(other.pid()), "");
}

}  // namespace
}  // namespace jprof
