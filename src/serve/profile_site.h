// ProfileSite: the content of the local server, which is one profile and the sources of its
// methods.
//
//   /OPEN/                      redirects to Address(), once, and only for our user
//   /TOKEN/                     our page
//   /TOKEN/profile.json         the profile for the Firefox Profiler
//   /TOKEN/source?class=&file=  a source text and its place, for our page
//   /TOKEN/source/v1            a source text, in the format of symbol servers, for the Firefox
//                               Profiler
//
// TOKEN is secret, because other users of the machine and every page in the browser can connect to
// the server. OPEN is part of the address in the browser's command line, which other users can see.
// So /OPEN/ works only for our user, and only once. A request with another host name that resolves
// to 127.0.0.1 (DNS rebinding) is refused by its Host header. A request from a page of another site
// is refused by its Origin header, unless the site is the Firefox Profiler.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "serve/http_message.h"
#include "sources/source_text.h"

namespace jprof {

inline constexpr std::string_view kFirefoxProfiler = "https://profiler.firefox.com";

// Returns 128 bits of the kernel's random generator, in hex.
Result<std::string> RandomToken();

class ProfileSite {
 public:
  struct Content {
    enum class Kind { kPage, kFirefoxProfile };
    Kind kind = Kind::kPage;
    int fd = -1;  // descriptor of the page, or of the gzipped profile; outlives the site
    uint64_t bytes = 0;
  };

  ProfileSite(const Content& content, FindSource find_source, std::string token,
              std::string opening)
      : content_(content),
        find_source_(std::move(find_source)),
        token_(std::move(token)),
        opening_(std::move(opening)) {}

  void SetPort(uint16_t port);

  // Returns the address of our page or, if the profile is for the Firefox Profiler, the address of
  // the Firefox Profiler with our addresses as parameters.
  std::string Address() const;

  // Returns an address that redirects to Address(), for one request only.
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
  std::string opening_;  // empty once it has been used
  std::string origin_;   // "http://127.0.0.1:4711"
  std::string host_;
  std::string local_host_;
};

}  // namespace jprof
