// ProfileSite: what the local server has: one profile, and the sources of its methods.
//
//   /OPEN/                      once, for our user: leads to what the browser is to show
//   /TOKEN/                     our page
//   /TOKEN/profile.json         the profile for the Firefox Profiler
//   /TOKEN/source?class=&file=  a source text and its place, for our page
//   /TOKEN/source/v1            the same by the API of the Firefox Profiler's symbol servers
//
// TOKEN is known only to whom the address was given: other users of the machine can connect, and so
// can every page in the browser. OPEN, which other users may see among the arguments of the
// browser, is of use to the first request alone, and to no other user's. A name that resolves to
// 127.0.0.1 (DNS rebinding) is refused by its Host header, and another site's page, but for the
// Firefox Profiler, by its Origin.
//
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "serve/http_request.h"
#include "serve/http_response.h"
#include "sources/source_text.h"

namespace jprof {

inline constexpr std::string_view kFirefoxProfiler = "https://profiler.firefox.com";

// 128 bits of the kernel's generator, in hex.
Result<std::string> RandomToken();

class ProfileSite {
 public:
  struct Content {
    enum class Kind { kPage, kFirefoxProfile };
    Kind kind = Kind::kPage;
    int fd = -1;  // of the page, or of the profile, gzip; outlives the site
    uint64_t bytes = 0;
  };

  ProfileSite(const Content& content, FindSource find_source, std::string token,
              std::string opening)
      : content_(content),
        find_source_(std::move(find_source)),
        token_(std::move(token)),
        opening_(std::move(opening)) {}

  void SetPort(uint16_t port);

  // What people open: of our page, or of the Firefox Profiler with the addresses of ours in it.
  std::string Address() const;

  // Leads there, once.
  std::string OpeningAddress() const { return origin_ + "/" + opening_ + "/"; }

  HttpResponse Answer(const HttpRequest& request);

 private:
  HttpResponse AnswerKnown(const HttpRequest& request, std::string_view path);
  HttpResponse Main() const;
  HttpResponse Source(const HttpRequest& request);
  HttpResponse SourceV1(const HttpRequest& request);

  const Content content_;
  const FindSource find_source_;
  const std::string token_;
  std::string opening_;  // empty: used
  std::string origin_;   // "http://127.0.0.1:4711"
  std::string host_;
  std::string local_host_;
};

}  // namespace jprof
