// libFuzzer target: whatever bytes a client sends, in whatever pieces, the reader of requests, the
// reader of JSON and the site do not crash, and a client without the token does not get the
// profile.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "serve/http_message.h"
#include "serve/json_fields.h"
#include "serve/profile_site.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using jprof::HttpRequestReader;
  constexpr int kFile = 1000;
  constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
  const std::string text(data, data + size);
  static_cast<void>(jprof::ReadJsonFields(text));
  HttpRequestReader whole;
  HttpRequestReader parts;
  const int status = whole.Take(text);
  int last = 0;
  for (size_t i = 0; i < text.size() && last == 0; i += 3) {
    last = parts.Take(std::string_view(text).substr(i, 3));
  }
  if (status != last && !text.empty()) std::abort();
  if (status != 200) return 0;
  const jprof::FindSource find_source = [](std::string_view, std::string_view) {
    return jprof::Result<jprof::SourceText>(jprof::Error("none"));
  };
  jprof::ProfileSite site({.fd = kFile, .bytes = 1}, find_source, kToken, "");
  site.SetPort(1);
  const jprof::HttpResponse response = site.Answer(whole.request());
  static_cast<void>(jprof::HeadOf(response));
  if (response.fd == kFile && text.find(kToken) == std::string::npos) std::abort();
  return 0;
}
