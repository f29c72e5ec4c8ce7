// HttpResponse: the answer to an HTTP request. Plain value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace jprof {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string text = {};
  int fd = -1;  // descriptor of a file that follows `text`; outlives the server; -1: none
  uint64_t fd_bytes = 0;
};

// Returns the status line and the headers, with the empty line at the end.
std::string HeadOf(const HttpResponse& response);

// Returns a refusal with a line of text.
HttpResponse RefusalOf(int status);
inline bool IsRefusal(const HttpResponse& response) { return response.status >= 400; }

}  // namespace jprof
