#include "serve/client_user.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

class ClientUserTest : public testing::Test {
 protected:
  void SetUp() override {
    const ScopedFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof address;
    ASSERT_EQ(bind(listener.get(), name, bytes), 0);
    ASSERT_EQ(listen(listener.get(), 1), 0);
    ASSERT_EQ(getsockname(listener.get(), name, &bytes), 0);
    client_ = ScopedFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(client_.get(), name, bytes), 0);
    server_ = ScopedFd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(server_.valid());
  }

  // Waits until the close or shutdown of the other end has arrived.
  void AwaitEnd() {
    pollfd ended{server_.get(), POLLRDHUP, 0};
    ASSERT_EQ(poll(&ended, 1, 10'000), 1);
  }

  ScopedFd client_;
  ScopedFd server_;
};

TEST_F(ClientUserTest, IsTheUserOfTheOtherEnd) { EXPECT_EQ(ClientUser(server_.get()), getuid()); }

// The kernel lists a closed socket as root's, whatever user it belonged to.
TEST_F(ClientUserTest, AClosedSocketHasNoUser) {
  client_.Reset();
  AwaitEnd();
  EXPECT_EQ(ClientUser(server_.get()), std::nullopt);
}

}  // namespace
}  // namespace jprof
