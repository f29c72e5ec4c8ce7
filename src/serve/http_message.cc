#include "serve/http_message.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace jprof {
namespace {

constexpr int kNeedsMore = 0;
constexpr int kDone = 200;
constexpr int kBadRequest = 400;
constexpr int kTooLarge = 413;
constexpr int kHeadTooLarge = 431;
constexpr int kNotImplemented = 501;
constexpr int kOtherVersion = 505;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// True for a token of RFC 9110, 5.6.2.
bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsAlphanumeric(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// True if the text consists of visible ASCII characters, blanks and tabs.
bool IsFieldText(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

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

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

int HttpRequestReader::Take(std::string_view bytes) {
  // kHeadEnd can lie partly before the new bytes, so the search begins kHeadEnd.size() bytes before
  // them.
  const size_t from = received_.size() < kHeadEnd.size() ? 0 : received_.size() - kHeadEnd.size();
  received_ += bytes;
  if (head_bytes_ == 0) {
    const size_t end = received_.find(kHeadEnd, from);
    const bool is_there = end != std::string::npos;
    // If kHeadEnd is not found, the last bytes can be the first part of kHeadEnd, so they do not
    // count as part of the head.
    if ((is_there ? end : received_.size()) > kMaxHead + (is_there ? 0 : kHeadEnd.size() - 1)) {
      return kHeadTooLarge;
    }
    if (!is_there) return kNeedsMore;
    head_bytes_ = end + kHeadEnd.size();
    const int status = ReadHead(std::string_view(received_).substr(0, end + kLineEnd.size()));
    if (status != kDone) return status;
  }
  if (received_.size() - head_bytes_ < body_bytes_) return kNeedsMore;
  // Bytes after the request are ignored, because a connection serves only one request.
  request_.body = received_.substr(head_bytes_, body_bytes_);
  return kDone;
}

// Reads the lines of the head. REQUIRES: every line ends with kLineEnd.
int HttpRequestReader::ReadHead(std::string_view head) {
  bool is_first = true;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find(kLineEnd));
    head.remove_prefix(line.size() + kLineEnd.size());
    const int status = is_first ? ReadRequestLine(line) : ReadHeader(line);
    if (status != kDone) return status;
    is_first = false;
  }
  return CheckBody();
}

int HttpRequestReader::ReadRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return kBadRequest;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (!IsToken(method) || !target.starts_with('/') || !IsFieldText(target) ||
      target.find('\t') != std::string_view::npos || !version.starts_with("HTTP/")) {
    return kBadRequest;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return kOtherVersion;
  const size_t question = std::min(target.find('?'), target.size());
  request_.method = method;
  request_.path = target.substr(0, question);
  request_.query = target.substr(std::min(question + 1, target.size()));
  return kDone;
}

int HttpRequestReader::ReadHeader(std::string_view line) {
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  if (colon == line.size() || !IsToken(name)) return kBadRequest;
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (!IsFieldText(value)) return kBadRequest;
  if (request_.headers.size() == kMaxHeaders) return kHeadTooLarge;
  const std::string lower = Lower(name);
  // A second header with one of these names is refused, because another program that reads the
  // request could use the second one.
  for (const std::string_view once : {"host", "content-length", "origin"}) {
    if (lower == once && !request_.Header(once).empty()) return kBadRequest;
  }
  request_.headers.emplace_back(lower, value);
  return kDone;
}

int HttpRequestReader::CheckBody() {
  if (request_.Header("host").empty()) return kBadRequest;
  if (!request_.Header("transfer-encoding").empty()) return kNotImplemented;
  const std::string_view length = request_.Header("content-length");
  if (length.empty()) return kDone;
  const auto [rest, error] =
      std::from_chars(length.data(), length.data() + length.size(), body_bytes_);
  if (error == std::errc::result_out_of_range) return kTooLarge;
  if (error != std::errc() || rest != length.data() + length.size()) return kBadRequest;
  return body_bytes_ > kMaxBody ? kTooLarge : kDone;
}

std::string UnescapedUrl(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

std::string EscapedUrl(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (IsAlphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return escaped;
}

std::string QueryValue(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) != name) continue;
    return UnescapedUrl(part.substr(std::min(equals + 1, part.size())));
  }
  return {};
}

// Adds headers that protect the secret token in the address: with them, browsers do not send the
// address to other sites, and do not cache the content.
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
