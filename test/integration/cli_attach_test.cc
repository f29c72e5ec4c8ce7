// What a JVM notices of many jprofs, and of one that goes away before it is answered.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliAttachTest : public CliTest {
 protected:
  Result<ServerProcess> StartServer() const {
    return ServerProcess::Start(Java({"Server", "1", "0"}));
  }
};
JPROF_ON_EVERY_JDK(CliAttachTest);

TEST_P(CliAttachTest, OfManyAtOnceEachIsAnsweredAndNoneMakesTheJvmPrintAThreadDump) {
  constexpr int kClients = 40;
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  std::vector<RunningProcess> clients;
  for (int i = 0; i < kClients; ++i) {
    auto client = RunningProcess::Start(
        JprofSpec({"status", "--wait", "2m", std::to_string(server.value().pid())}));
    ASSERT_TRUE(client.ok()) << client.error().message();
    clients.push_back(std::move(client).value());
  }
  for (RunningProcess& client : clients) EXPECT_THAT(client.Wait(), Printed("state     idle"));
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, Not(HasSubstr("thread dump")));
}

}  // namespace
}  // namespace jprof::test
