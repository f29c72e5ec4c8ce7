// Tests of the parsers for the state files of container runtimes.
#include "attach/container_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

TEST(ContainerStateTest, ReadsContainerdsAnnotationsOfKubernetes) {
  const auto names = ParseOciConfig(R"({"ociVersion":"1.2.0","process":{"terminal":false,
      "args":["java","-jar","/app.jar"],"env":["A=io.kubernetes.cri.container-name"]},
      "root":{"path":"rootfs"},"annotations":{"io.kubernetes.cri.container-name":"app",
      "io.kubernetes.cri.container-type":"container","io.kubernetes.cri.sandbox-id":"5f0c",
      "io.kubernetes.cri.sandbox-name":"shop-7f8d9-x2k4p",
      "io.kubernetes.cri.sandbox-namespace":"prod"},"linux":{"resources":{"memory":{"limit":1e9}}}})");
  ASSERT_TRUE(names.ok()) << names.error().message();
  EXPECT_EQ(names.value().name, "app");
  EXPECT_EQ(names.value().pod, "shop-7f8d9-x2k4p");
  EXPECT_EQ(names.value().pod_namespace, "prod");
  EXPECT_FALSE(names.value().is_sandbox);
}

TEST(ContainerStateTest, ReadsCriOsAnnotations) {
  const auto names = ParseOciConfig(R"({"annotations":{"io.container.manager":"cri-o",
      "io.kubernetes.cri-o.ContainerType":"container","io.kubernetes.cri-o.Name":"k8s_app_shop-0",
      "io.kubernetes.container.name":"app","io.kubernetes.pod.name":"shop-0",
      "io.kubernetes.pod.namespace":"prod"}})");
  ASSERT_TRUE(names.ok()) << names.error().message();
  EXPECT_EQ(names.value().name, "app");
  EXPECT_EQ(names.value().pod, "shop-0");
  EXPECT_EQ(names.value().pod_namespace, "prod");
  EXPECT_EQ(names.value().manager, "cri-o");
}

TEST(ContainerStateTest, RecognizesTheSandboxOfAPod) {
  for (const char* pair : {R"("io.kubernetes.cri.container-type":"sandbox")",
                           R"("io.kubernetes.cri-o.ContainerType":"sandbox")"}) {
    const auto names = ParseOciConfig("{\"annotations\":{" + std::string(pair) + "}}");
    ASSERT_TRUE(names.ok()) << names.error().message();
    EXPECT_TRUE(names.value().is_sandbox) << pair;
  }
}

TEST(ContainerStateTest, ReadsNamesOnlyFromTheirPlace) {
  const auto names = ParseOciConfig(R"({"process":{"nerdctl/name":"a"},"nerdctl/name":"b",
      "linux":{"annotations":{"nerdctl/name":"c"}},"x":[{"annotations":{"nerdctl/name":"d"}}],
      "annotations":{"x":{"nerdctl/name":"e"},"nerdctl/name":"web"}})");
  ASSERT_TRUE(names.ok()) << names.error().message();
  EXPECT_EQ(names.value().name, "web");
}

TEST(ContainerStateTest, ReadsDockersNameAndLabels) {
  const auto docker = ParseDockerConfig(
      R"({"StreamConfig":{},"State":{"Running":true,"Pid":4711},"ID":"c0ffee",
          "Config":{"Hostname":"c0ffee","Labels":{"com.docker.compose.service":"web"}},
          "Name":"/shop-web-1"})");
  ASSERT_TRUE(docker.ok()) << docker.error().message();
  EXPECT_EQ(docker.value().name, "shop-web-1");
  const auto pod =
      ParseDockerConfig(R"({"Config":{"Labels":{"io.kubernetes.docker.type":"container",
      "io.kubernetes.container.name":"app","io.kubernetes.pod.name":"shop-0"}},
      "Name":"/k8s_app_shop-0_prod_1_0"})");
  ASSERT_TRUE(pod.ok()) << pod.error().message();
  EXPECT_EQ(pod.value().name, "app");
  EXPECT_EQ(pod.value().pod, "shop-0");
}

TEST(ContainerStateTest, ReadsTheFirstNameOfEachStoredContainer) {
  const auto names = ParseStorageNames(
      R"([{"id":"aa","names":["web","other"],"image":"x","layer":"y"},{"id":"bb","image":"x"},
          {"id":"cc","names":["db"],"flags":{"names":["no"]}}])");
  ASSERT_TRUE(names.ok()) << names.error().message();
  EXPECT_THAT(names.value(),
              testing::ElementsAre(testing::Pair("aa", "web"), testing::Pair("cc", "db")));
}

TEST(ContainerStateTest, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{}x", "[1,]", "{\"annotations\":{\"a\":\"\xff\"}}", "nul"}) {
    EXPECT_FALSE(ParseOciConfig(text).ok()) << text;
  }
}

TEST(ContainerStateTest, DeeplyNestedJsonTakesNoStack) {
  constexpr size_t kDepth = 2'000'000;
  std::string text = R"({"x":)" + std::string(kDepth, '[') + std::string(kDepth, ']') +
                     R"(,"annotations":{"nerdctl/name":"web"}})";
  const auto names = ParseOciConfig(text);
  ASSERT_TRUE(names.ok()) << names.error().message();
  EXPECT_EQ(names.value().name, "web");
  EXPECT_FALSE(ParseOciConfig(std::string(kDepth, '[')).ok());
}

TEST(ContainerStateTest, APidFileHasOnePid) {
  EXPECT_EQ(ParsePidFile("4711"), 4711);
  EXPECT_EQ(ParsePidFile("4711\n"), 4711);
  for (const char* text : {"", "\n", "0", "-1", "47 11", "99999999999", "pid"}) {
    EXPECT_EQ(ParsePidFile(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace jprof
