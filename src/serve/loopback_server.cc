#include "serve/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "serve/client_user.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr int kBacklog = 64;
constexpr size_t kMaxRest = 1 << 20;

bool Watch(int epoll, int fd, uint32_t events, void* data) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = data;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Result<LoopbackServer> LoopbackServer::Listen(Handler handler, const Times& times) {
  std::signal(SIGPIPE, SIG_IGN);  // sendfile cannot suppress the signal, unlike send
  ScopedFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ScopedFd epoll(epoll_create1(EPOLL_CLOEXEC));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener.valid() || !epoll.valid() || bind(listener.get(), generic, length) != 0 ||
      listen(listener.get(), kBacklog) != 0 || getsockname(listener.get(), generic, &length) != 0 ||
      !Watch(epoll.get(), listener.get(), EPOLLIN, nullptr)) {
    return Error::FromErrno("listen", "on 127.0.0.1");
  }
  return LoopbackServer(std::move(handler), times, std::move(listener), std::move(epoll),
                        ntohs(address.sin_port));
}

LoopbackServer::LoopbackServer(Handler handler, const Times& times, ScopedFd listener,
                               ScopedFd epoll, uint16_t port)
    : handler_(std::move(handler)),
      times_(times),
      listener_(std::move(listener)),
      epoll_(std::move(epoll)),
      port_(port),
      last_use_ns_(MonotonicNanos()) {}

bool LoopbackServer::IsUseful(const Connection& connection) {
  return connection.is_answering && !IsRefusal(connection.answer);
}

bool LoopbackServer::IsAnswering() const { return std::ranges::any_of(connections_, IsUseful); }

void LoopbackServer::Serve() {
  std::array<epoll_event, kMaxConnections + 1> events;
  const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  bool has_new = false;
  for (int i = 0; i < count; ++i) {
    void* const data = events[static_cast<size_t>(i)].data.ptr;
    has_new |= data == nullptr;
    if (data != nullptr) Advance(*static_cast<Connection*>(data));
  }
  CloseExpired();
  connections_.remove_if([](const Connection& each) { return !each.fd.valid(); });
  // New connections are accepted after all events are handled, because Accept can remove a
  // connection that an event points to.
  if (has_new) Accept();
}

// Accepts only as many connections as fit into kMaxConnections together with the useful ones
// (IsUseful), but at least one. Without this bound, clients that connect fast could keep the loop
// going, and a new connection could be replaced before its request was read once.
void LoopbackServer::Accept() {
  const auto useful = static_cast<size_t>(std::ranges::count_if(connections_, IsUseful));
  const size_t most = std::max<size_t>(kMaxConnections - useful, 1);
  for (size_t accepted = 0; accepted < most; ++accepted) {
    ScopedFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    if (connections_.size() == kMaxConnections) RemoveLeastUseful();
    const int64_t deadline_ns = MonotonicNanos() + times_.request_ns;
    connections_.push_back({.fd = std::move(fd), .deadline_ns = deadline_ns});
    Connection& connection = connections_.back();
    if (!Watch(epoll_.get(), connection.fd.get(), EPOLLIN, &connection)) connections_.pop_back();
  }
}

// Removes the oldest connection that is not useful: any process can make such connections, and they
// must not displace useful ones. If all connections are useful, removes the oldest one.
void LoopbackServer::RemoveLeastUseful() {
  auto given_up = std::ranges::find_if_not(connections_, IsUseful);
  if (given_up == connections_.end()) given_up = connections_.begin();
  Close(*given_up);
  connections_.erase(given_up);
}

void LoopbackServer::Advance(Connection& connection) {
  if (!connection.is_answering) Receive(connection);
  if (connection.is_answering && !Send(connection)) Close(connection);
}

// Removes the socket from epoll before closing it. Without the removal, epoll would keep reporting
// events as long as a forked process has the socket open, and these events would point to a
// connection that no longer exists.
void LoopbackServer::Close(Connection& connection) const {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.fd.get(), nullptr);
  connection.fd.Reset();
}

// Reads the bytes that have arrived. Closes the connection if the client ends it before the request
// is complete.
void LoopbackServer::Receive(Connection& connection) {
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = recv(connection.fd.get(), buffer, sizeof buffer, 0);
    if (got < 0 && (errno == EINTR || WouldBlock())) return;
    if (got <= 0) {
      Close(connection);
      return;
    }
    const int status = connection.reader.Take({buffer, static_cast<size_t>(got)});
    if (status == 0) continue;
    if (status != 200) {
      Answer(connection, RefusalOf(status));
      return;
    }
    HttpRequest request = connection.reader.request();
    request.find_user = [fd = connection.fd.get()] { return ClientUser(fd); };
    Answer(connection, handler_(request));
    return;
  }
}

void LoopbackServer::Answer(Connection& connection, HttpResponse answer) {
  const int64_t now_ns = MonotonicNanos();
  if (!IsRefusal(answer)) last_use_ns_ = now_ns;
  connection.is_answering = true;
  connection.deadline_ns = now_ns + times_.stall_ns;
  connection.head = HeadOf(answer) + answer.text;
  if (connection.reader.request().method == "HEAD") {
    connection.head.resize(connection.head.size() - answer.text.size());
    answer.fd_bytes = 0;
  }
  answer.text.clear();
  connection.answer = std::move(answer);
  epoll_event event = {};
  event.events = EPOLLOUT;
  event.data.ptr = &connection;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event);
}

bool LoopbackServer::Send(Connection& connection) const {
  const uint64_t total = connection.head.size() + connection.answer.fd_bytes;
  while (connection.sent < total) {
    ssize_t sent = 0;
    if (connection.sent < connection.head.size()) {
      sent = send(connection.fd.get(), connection.head.data() + connection.sent,
                  connection.head.size() - connection.sent, MSG_NOSIGNAL);
    } else {
      auto offset = static_cast<off_t>(connection.sent - connection.head.size());
      sent = sendfile(connection.fd.get(), connection.answer.fd, &offset, total - connection.sent);
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && WouldBlock()) return true;
    if (sent <= 0) return false;
    connection.sent += static_cast<uint64_t>(sent);
    connection.deadline_ns = MonotonicNanos() + times_.stall_ns;
  }
  // Ends the answer, and reads what the client has sent after its request: if bytes were left
  // unread, close() would reset the connection, and the client could lose the answer. Reads at most
  // kMaxRest bytes, because a client can send forever.
  shutdown(connection.fd.get(), SHUT_WR);
  char rest[4096];
  for (size_t got = 0; got < kMaxRest;) {
    const ssize_t more = recv(connection.fd.get(), rest, sizeof rest, 0);
    if (more <= 0) break;
    got += static_cast<size_t>(more);
  }
  return false;
}

void LoopbackServer::CloseExpired() {
  const int64_t now_ns = MonotonicNanos();
  for (Connection& connection : connections_) {
    if (!connection.fd.valid() || now_ns < connection.deadline_ns) continue;
    if (connection.is_answering) {
      // Discards unsent data, which the kernel would otherwise keep until the client reads it.
      const linger none{1, 0};
      setsockopt(connection.fd.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    } else {
      Answer(connection, RefusalOf(408));
      static_cast<void>(Send(connection));
    }
    Close(connection);
  }
}

}  // namespace jprof
