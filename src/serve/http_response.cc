#include "serve/http_response.h"

#include <string_view>

namespace jprof {
namespace {

struct StatusRow {
  int status;
  std::string_view text;
};

constexpr StatusRow kStatuses[] = {
    {200, "OK"},
    {204, "No Content"},
    {302, "Found"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {431, "Request Header Fields Too Large"},
    {501, "Not Implemented"},
    {505, "HTTP Version Not Supported"},
};

std::string StatusText(int status) {
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return std::to_string(status) + " " + std::string(row.text);
  }
  return std::to_string(status);
}

}  // namespace

// Adds headers that protect the token in the address: browsers do not send the address to other
// sites, and do not cache the content.
std::string HeadOf(const HttpResponse& response) {
  std::string head = "HTTP/1.1 " + StatusText(response.status) + "\r\n";
  head += "Content-Type: " + response.type + "\r\n";
  head += "Content-Length: " + std::to_string(response.text.size() + response.fd_bytes) + "\r\n";
  head +=
      "Connection: close\r\n"
      "Cache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

HttpResponse RefusalOf(int status) { return {.status = status, .text = StatusText(status) + "\n"}; }

}  // namespace jprof
