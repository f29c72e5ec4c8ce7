#include "serve/profile_site.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/hex_text.h"
#include "base/modified_utf8.h"
#include "serve/json_fields.h"

namespace jprof {
namespace {

constexpr size_t kTokenBytes = 16;

// True if the texts are equal. The time that this takes does not show where the texts differ.
bool IsEqual(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size() || secret.empty()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < secret.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  }
  return difference == 0;
}

// True if the client's user is ours or root. Root is accepted because it can read all our data
// anyway, and because some relays of connections run as root, such as those for a browser outside a
// virtual machine.
bool IsOfOurUser(const HttpRequest& request) {
  const std::optional<uid_t> user = request.find_user();
  return user && (*user == geteuid() || *user == 0);
}

HttpResponse Json(std::string text) {
  return {.type = "application/json; charset=utf-8", .text = std::move(text)};
}

// Answers a browser that asks whether a page of another site may send requests to this server.
HttpResponse Preflight(const HttpRequest& request) {
  HttpResponse response{.status = 204};
  response.headers = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS"},
                      {"Access-Control-Allow-Headers", "content-type"},
                      {"Access-Control-Max-Age", "600"}};
  // Permits a page from the internet to send requests to this machine.
  if (request.Header("access-control-request-private-network") == "true") {
    response.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return response;
}

}  // namespace

Result<std::string> RandomToken() { return RandomHex(kTokenBytes); }

void ProfileSite::SetPort(uint16_t port) {
  host_ = "127.0.0.1:" + std::to_string(port);
  local_host_ = "localhost:" + std::to_string(port);
  origin_ = "http://" + host_;
}

std::string ProfileSite::Address() const {
  const std::string ours = origin_ + "/" + token_;
  if (content_.kind == Content::Kind::kPage) return ours + "/";
  return std::string(kFirefoxProfiler) + "/from-url/" + EscapedUrl(ours + "/profile.json") +
         "/?symbolServer=" + EscapedUrl(ours);
}

HttpResponse ProfileSite::Answer(const HttpRequest& request) {
  const std::string_view host = request.Header("host");
  if (host != host_ && host != local_host_) return RefusalOf(403);
  const std::string_view path = request.path;
  const size_t slash = std::min(path.find('/', 1), path.size());
  const std::string_view secret = path.substr(std::min<size_t>(1, path.size()), slash - 1);
  if (IsEqual(secret, opening_) && request.method == "GET" && IsOfOurUser(request)) {
    opening_.clear();
    HttpResponse response{.status = 302};
    response.headers = {{"Location", Address()}};
    return response;
  }
  if (!IsEqual(secret, token_)) return RefusalOf(404);
  const std::string_view origin = request.Header("origin");
  const bool is_firefox =
      content_.kind == Content::Kind::kFirefoxProfile && origin == kFirefoxProfiler;
  const bool is_ours = origin == origin_ || origin == "http://" + local_host_;
  if (!origin.empty() && !is_firefox && !is_ours) return RefusalOf(403);
  HttpResponse response = AnswerKnown(request, path.substr(slash));
  response.headers.emplace_back("Vary", "Origin");
  if (is_firefox) {
    response.headers.emplace_back("Access-Control-Allow-Origin", kFirefoxProfiler);
  }
  return response;
}

HttpResponse ProfileSite::AnswerKnown(const HttpRequest& request, std::string_view path) {
  if (request.method == "OPTIONS") return Preflight(request);
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  const std::string_view main = content_.kind == Content::Kind::kPage ? "/" : "/profile.json";
  if (path == main) return is_get ? Main() : RefusalOf(405);
  if (path == "/source") return is_get ? Source(request) : RefusalOf(405);
  if (path == "/source/v1") return request.method == "POST" ? SourceV1(request) : RefusalOf(405);
  return RefusalOf(404);
}

HttpResponse ProfileSite::Main() const {
  HttpResponse response{.fd = content_.fd, .fd_bytes = content_.bytes};
  if (content_.kind == Content::Kind::kPage) {
    response.type = "text/html; charset=utf-8";
    response.headers = {{"X-Frame-Options", "DENY"},
                        {"Cross-Origin-Resource-Policy", "same-origin"}};
  } else {
    response.type = "application/json; charset=utf-8";
    response.headers = {{"Content-Encoding", "gzip"}};
  }
  return response;
}

HttpResponse ProfileSite::Source(const HttpRequest& request) {
  const Result<SourceText> found =
      find_source_(QueryValue(request.query, "class"), QueryValue(request.query, "file"));
  if (!found) return Json("{\"error\":" + JsonString(found.error().message()) + "}");
  return Json("{\"place\":" + JsonString(found.value().place) +
              ",\"isFile\":" + (found.value().is_file ? "true" : "false") +
              ",\"source\":" + JsonString(found.value().text) + "}");
}

// Answers with the source of the file that the request names. Ignores the library and the address
// in the request. A symbol server uses these two to decide whether it may show the file. Here,
// every file may be shown that lies in a folder or archive of --sources.
HttpResponse ProfileSite::SourceV1(const HttpRequest& request) {
  const auto fields = ReadJsonFields(request.body);
  const auto file =
      fields ? fields->find("file") : std::map<std::string, std::string>::const_iterator();
  if (!fields || file == fields->end()) return RefusalOf(400);
  const std::string_view path = file->second;
  const Result<SourceText> found = FindSourceOfPath(find_source_, path);
  if (!found) return Json("{\"error\":" + JsonString(found.error().message()) + "}");
  return Json("{\"symbolsLastModified\":null,\"sourceLastModified\":null,\"file\":" +
              JsonString(path) + ",\"source\":" + JsonString(found.value().text) + "}");
}

}  // namespace jprof
