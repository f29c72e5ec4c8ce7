// HttpRequestReader reads one HTTP/1.1 request (RFC 9112) from the bytes that a client sends.
// HttpResponse is the answer to a request.
//
// The reader is strict, since any process on the machine can connect: lines end with CR LF, names
// are tokens, the headers Host, Content-Length and Origin occur at most once, bodies have a length,
// and all sizes are bounded. The reader refuses requests that other servers repair.
//
// Not thread-safe. The input is not trusted: Take may be called with any bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jprof {

struct HttpRequest {
  std::string method;
  std::string path;                                          // as sent: "/x%20y"
  std::string query;                                         // the part after '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // Returns the user of the client; nullopt if the kernel does not list the connection. The
  // function reads a list of all connections of the machine, so it is called only for a request
  // that contains a secret.
  std::function<std::optional<uid_t>()> find_user = [] { return std::optional<uid_t>(); };

  // Returns the value of the first header of this name; "" if there is none. `name`: in lower case.
  std::string_view Header(std::string_view name) const;
};

class HttpRequestReader {
 public:
  static constexpr size_t kMaxHead = 16 * 1024;
  static constexpr size_t kMaxHeaders = 64;
  static constexpr size_t kMaxBody = 64 * 1024;

  // Takes the next bytes. Returns 0 if more bytes are needed, 200 if request() is complete, and
  // otherwise the HTTP status with which the request is refused. REQUIRES: all calls so far have
  // returned 0.
  int Take(std::string_view bytes);

  const HttpRequest& request() const { return request_; }

 private:
  int ReadHead(std::string_view head);
  int ReadRequestLine(std::string_view line);
  int ReadHeader(std::string_view line);
  int CheckBody();

  std::string received_;
  size_t head_bytes_ = 0;  // size of the head; 0 until the head is complete
  size_t body_bytes_ = 0;
  HttpRequest request_;
};

// Converts "a%20b" to "a b"; "%zz" stays as it is.
std::string UnescapedUrl(std::string_view text);

// Converts "a b" to "a%20b", for one component of a URL.
std::string EscapedUrl(std::string_view text);

// Returns the value of a parameter in a query such as "a=1&b=2"; "" if there is none.
std::string QueryValue(std::string_view query, std::string_view name);

// The answer to a request.
struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string text = {};
  int fd = -1;  // file to send after `text`, or -1; stays open as long as the server exists
  uint64_t fd_bytes = 0;
};

// Returns the status line and the headers, with the empty line at the end.
std::string HeadOf(const HttpResponse& response);

// Returns a refusal with this status, and a line of text.
HttpResponse RefusalOf(int status);
inline bool IsRefusal(const HttpResponse& response) { return response.status >= 400; }

}  // namespace jprof
