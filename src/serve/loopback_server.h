// LoopbackServer: a small HTTP server on 127.0.0.1, one request per connection.
//
// The server never blocks: a slow or silent client occupies one connection until a time limit
// (Times), and delays no other client. At kMaxConnections, a new connection replaces the oldest one
// whose request is unanswered or was refused. If there is no such connection, the new connection
// replaces the oldest of all. The cost of a refused request does not depend on the number of
// connections on the machine.
//
// Not thread-safe: the caller waits until fd() is readable, for at most a second, and calls Serve.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "serve/http_message.h"

namespace jprof {

class LoopbackServer {
 public:
  static constexpr size_t kMaxConnections = 64;

  struct Times {
    int64_t request_ns = 10'000'000'000;  // longest time for a whole request
    int64_t stall_ns = 60'000'000'000;    // longest time in which no byte of an answer is sent
  };

  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens on a free port. The process ignores SIGPIPE from then on.
  static Result<LoopbackServer> Listen(Handler handler, const Times& times);
  static Result<LoopbackServer> Listen(Handler handler) {
    return Listen(std::move(handler), Times());
  }

  uint16_t port() const { return port_; }

  // Returns a descriptor that is readable when Serve has something to do.
  int fd() const { return epoll_.get(); }

  // Accepts, reads and answers as far as possible without waiting.
  void Serve();

  // Returns the time on CLOCK_MONOTONIC at which the last answer was started. Refusals do not
  // count, so that a client that does not know the address cannot keep the server running.
  int64_t last_use_ns() const { return last_use_ns_; }
  // True if any connection is being sent an answer that is not a refusal.
  bool IsAnswering() const;

 private:
  struct Connection {
    ScopedFd fd;
    int64_t deadline_ns = 0;
    HttpRequestReader reader = {};
    std::string head = {};  // head and text of the answer
    HttpResponse answer = {};
    uint64_t sent = 0;  // number of sent bytes, first of `head`, then of the file
    bool is_answering = false;
  };
  using Connections = std::list<Connection>;

  LoopbackServer(Handler handler, const Times& times, ScopedFd listener, ScopedFd epoll,
                 uint16_t port);

  // True if the connection is being sent an answer that is not a refusal.
  static bool IsUseful(const Connection& connection);

  void Accept();
  void RemoveLeastUseful();
  void Receive(Connection& connection);
  void Answer(Connection& connection, HttpResponse answer);
  // Sends as much as possible without waiting. Returns false if the connection can be closed.
  bool Send(Connection& connection) const;
  void Advance(Connection& connection);
  // Closes the connection. An invalid fd then marks the connection for removal.
  void Close(Connection& connection) const;
  void CloseExpired();

  Handler handler_;
  Times times_;
  ScopedFd listener_;
  ScopedFd epoll_;
  uint16_t port_;
  Connections connections_;  // oldest first
  int64_t last_use_ns_;
};

}  // namespace jprof
