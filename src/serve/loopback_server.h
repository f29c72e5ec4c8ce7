// LoopbackServer: a small HTTP server on 127.0.0.1, one request per connection.
//
// Never blocks: a client that is slow, or says nothing, holds one of its connections until its time
// is up, and no other client. At the limit of connections the oldest gives way that does not get
// what it asked for. Costs of a refused request do not grow with what else the machine does.
//
// One thread: the caller waits until fd() is readable, a second at most, and calls Serve.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "serve/http_request.h"
#include "serve/http_response.h"

namespace jprof {

class LoopbackServer {
 public:
  static constexpr size_t kMaxConnections = 64;

  struct Times {
    int64_t request_ns = 10'000'000'000;  // for a whole request
    int64_t stall_ns = 60'000'000'000;    // without progress of an answer
  };

  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // On a port that is free. The process ignores SIGPIPE from then on.
  static Result<LoopbackServer> Listen(Handler handler, const Times& times);
  static Result<LoopbackServer> Listen(Handler handler) {
    return Listen(std::move(handler), Times());
  }

  uint16_t port() const { return port_; }

  // Readable when a connection has something to do.
  int fd() const { return epoll_.get(); }

  // Does what can be done now.
  void Serve();

  // CLOCK_MONOTONIC, of the last answer that began; refusals are no use, so that who does not know
  // the address cannot keep the server alive.
  int64_t last_use_ns() const { return last_use_ns_; }
  bool IsAnswering() const;  // other than by a refusal

 private:
  struct Connection {
    ScopedFd fd;
    int64_t deadline_ns = 0;
    HttpRequestReader reader = {};
    std::string head = {};  // of the answer; then the text
    HttpResponse answer = {};
    uint64_t sent = 0;  // bytes of head and text, then of the file
    bool is_answering = false;
  };
  using Connections = std::list<Connection>;

  LoopbackServer(Handler handler, const Times& times, ScopedFd listener, ScopedFd epoll,
                 uint16_t port);

  // True if the connection is being answered other than by a refusal.
  static bool IsUseful(const Connection& connection);

  void Accept();
  void RemoveLeastUseful();
  void Receive(Connection& connection);
  void Answer(Connection& connection, HttpResponse answer);
  // False: the connection is over.
  bool Send(Connection& connection) const;
  void Advance(Connection& connection);
  void Close(Connection& connection) const;  // an invalid fd marks it for removal
  void CloseExpired();

  Handler handler_;
  Times times_;
  ScopedFd listener_;
  ScopedFd epoll_;
  uint16_t port_;
  Connections connections_;  // the oldest first
  int64_t last_use_ns_;
};

}  // namespace jprof
