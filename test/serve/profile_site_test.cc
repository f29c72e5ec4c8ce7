#include "serve/profile_site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "serve/json_fields.h"
#include "sources/source_finder.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using Kind = ProfileSite::Content::Kind;
using testing::HasSubstr;
using testing::Not;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
constexpr char kOpening[] = "fedcba9876543210fedcba9876543210";
constexpr char kFirefox[] = "https://profiler.firefox.com";

class ProfileSiteTest : public testing::Test {
 protected:
  ProfileSiteTest() {
    std::ofstream(folder_.File("Main.java")) << "class Main {}";
    EXPECT_TRUE(sources_.Add(folder_.File("")).ok());
  }

  ProfileSite Site(Kind kind) {
    const FindSource find_source = [this](std::string_view class_name, std::string_view file_name) {
      return sources_.Find(class_name, file_name);
    };
    ProfileSite site({.kind = kind, .fd = 7, .bytes = 42}, find_source, kToken, kOpening);
    site.SetPort(4711);
    return site;
  }

  static HttpRequest Request(const std::string& path, const std::string& method = "GET") {
    return {method, path, "", {{"host", "127.0.0.1:4711"}}, "", geteuid};
  }
  static HttpRequest From(const std::string& origin, HttpRequest request) {
    request.headers.emplace_back("origin", origin);
    return request;
  }

  static std::string Header(const HttpResponse& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "none";
  }

  test::TempFolder folder_;
  SourceFinder sources_;
  const std::string path_ = "/" + std::string(kToken);
};

TEST_F(ProfileSiteTest, ServesNothingWithoutTheToken) {
  ProfileSite site = Site(Kind::kPage);
  EXPECT_EQ(site.Answer(Request(path_ + "/")).fd, 7);
  EXPECT_EQ(site.Answer(Request(path_ + "/")).fd_bytes, 42u);
  const std::string almost = std::string(kToken, 31) + "0";
  for (const std::string& path : {std::string("/"), std::string("//"), "/" + almost + "/", path_,
                                  path_ + "0/", path_.substr(0, 20) + "/", path_ + "/profile.json",
                                  path_ + "/../", "/%30" + path_.substr(2)}) {
    const HttpResponse response = site.Answer(Request(path));
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.fd, -1) << path;
  }
  EXPECT_EQ(site.Answer(Request(path_ + "/", "POST")).status, 405);
  EXPECT_EQ(site.Answer(Request(path_ + "/", "DELETE")).status, 405);
}

TEST_F(ProfileSiteTest, RefusesOtherHostNames) {
  ProfileSite site = Site(Kind::kPage);
  for (const std::string host : {"evil.example:4711", "127.0.0.1", "127.0.0.1:80", ""}) {
    HttpRequest request = Request(path_ + "/");
    request.headers = {{"host", host}};
    EXPECT_EQ(site.Answer(request).status, 403) << host;
    request.path = "/" + std::string(kOpening) + "/";
    EXPECT_EQ(site.Answer(request).status, 403) << host;
  }
  HttpRequest local = Request(path_ + "/");
  local.headers = {{"host", "localhost:4711"}};
  EXPECT_EQ(site.Answer(local).status, 200);
}

TEST_F(ProfileSiteTest, TheOpeningAddressRedirectsOnce) {
  ProfileSite site = Site(Kind::kPage);
  EXPECT_EQ(site.OpeningAddress(), "http://127.0.0.1:4711/" + std::string(kOpening) + "/");
  const HttpRequest opening = Request("/" + std::string(kOpening) + "/");
  EXPECT_EQ(Header(site.Answer(opening), "Location"), "http://127.0.0.1:4711" + path_ + "/");
  EXPECT_EQ(site.Answer(opening).status, 404);
  EXPECT_EQ(site.Answer(Request("//")).status, 404)
      << "an empty secret does not stand for a used one";
}

TEST_F(ProfileSiteTest, TheOpeningAddressDoesNotWorkForOtherUsers) {
  ProfileSite site = Site(Kind::kPage);
  HttpRequest opening = Request("/" + std::string(kOpening) + "/");
  opening.find_user = [] { return geteuid() + 1; };
  EXPECT_EQ(site.Answer(opening).status, 404);
  opening.find_user = [] { return std::nullopt; };
  EXPECT_EQ(site.Answer(opening).status, 404) << "of a user whom the kernel does not tell";
  opening.find_user = [] { return geteuid(); };
  EXPECT_EQ(site.Answer(opening).status, 302) << "others have not used it up";

  ProfileSite of_relay = Site(Kind::kPage);
  opening.find_user = [] { return 0; };
  EXPECT_EQ(of_relay.Answer(opening).status, 302);
}

TEST_F(ProfileSiteTest, LooksUpTheUserForTheOpeningAddressOnly) {
  ProfileSite site = Site(Kind::kPage);
  int asked = 0;
  const auto ask = [&](HttpRequest request) {
    request.find_user = [&asked] {
      ++asked;
      return geteuid();
    };
    return site.Answer(request).status;
  };
  HttpRequest elsewhere = Request("/" + std::string(kOpening) + "/");
  elsewhere.headers = {{"host", "evil.example:4711"}};
  EXPECT_EQ(ask(elsewhere), 403);
  for (const std::string& path :
       {std::string("/"), "/" + std::string(kOpening).substr(1) + "0/", path_ + "0/"}) {
    EXPECT_EQ(ask(Request(path)), 404) << path;
  }
  EXPECT_EQ(ask(Request(path_ + "/")), 200);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(ask(Request("/" + std::string(kOpening) + "/")), 302);
  EXPECT_EQ(asked, 1);
}

TEST_F(ProfileSiteTest, OnlyTheFirefoxProfilerReadsFromAnotherSite) {
  ProfileSite page = Site(Kind::kPage);
  EXPECT_EQ(page.Answer(From("https://evil.example", Request(path_ + "/"))).status, 403);
  EXPECT_EQ(page.Answer(From(kFirefox, Request(path_ + "/"))).status, 403);
  EXPECT_EQ(page.Answer(From("null", Request(path_ + "/"))).status, 403);
  EXPECT_EQ(page.Answer(From("http://127.0.0.1:4711", Request(path_ + "/"))).status, 200);

  ProfileSite firefox = Site(Kind::kFirefoxProfile);
  const HttpResponse profile = firefox.Answer(From(kFirefox, Request(path_ + "/profile.json")));
  EXPECT_EQ(profile.fd, 7);
  EXPECT_EQ(Header(profile, "Access-Control-Allow-Origin"), kFirefox);
  EXPECT_EQ(Header(profile, "Content-Encoding"), "gzip");
  EXPECT_EQ(Header(profile, "Vary"), "Origin");
  const HttpResponse plain = firefox.Answer(Request(path_ + "/profile.json"));
  EXPECT_EQ(Header(plain, "Access-Control-Allow-Origin"), "none");
  for (const std::string other :
       {"https://evil.example", "https://profiler.firefox.com.evil.example",
        "http://profiler.firefox.com", "https://profiler.firefox.com:444"}) {
    const HttpResponse response = firefox.Answer(From(other, Request(path_ + "/profile.json")));
    EXPECT_EQ(response.status, 403) << other;
    EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"), "none") << other;
  }
}

TEST_F(ProfileSiteTest, ThePreflightOfTheFirefoxProfilerIsAnswered) {
  ProfileSite site = Site(Kind::kFirefoxProfile);
  HttpRequest request = From(kFirefox, Request(path_ + "/source/v1", "OPTIONS"));
  request.headers.emplace_back("access-control-request-private-network", "true");
  const HttpResponse response = site.Answer(request);
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"), kFirefox);
  EXPECT_EQ(Header(response, "Access-Control-Allow-Private-Network"), "true");
  EXPECT_THAT(Header(response, "Access-Control-Allow-Methods"), HasSubstr("POST"));
  request.headers[1].second = "https://evil.example";
  EXPECT_EQ(site.Answer(request).status, 403);
}

TEST_F(ProfileSiteTest, TheAddressForTheFirefoxProfilerNamesProfileAndSymbolServer) {
  const ProfileSite site = Site(Kind::kFirefoxProfile);
  EXPECT_EQ(site.Address(),
            "https://profiler.firefox.com/from-url/http%3A%2F%2F127.0.0.1%3A4711%2F" +
                std::string(kToken) +
                "%2Fprofile.json/?symbolServer=http%3A%2F%2F127.0.0.1%3A4711%2F" + kToken);
}

TEST_F(ProfileSiteTest, ServesSourcesToSymbolClientsAndOurPage) {
  ProfileSite site = Site(Kind::kFirefoxProfile);
  HttpRequest request = From(kFirefox, Request(path_ + "/source/v1", "POST"));
  request.body = R"({"debugName":"[JIT]","debugId":"0","moduleOffset":"0x10","file":"Main.java"})";
  const auto found = ReadJsonFields(site.Answer(request).text);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->at("source"), "class Main {}");
  EXPECT_EQ(found->at("file"), "Main.java");

  request.body = R"({"file":"../../../../etc/passwd"})";
  EXPECT_THAT(site.Answer(request).text, HasSubstr("\"error\":"));
  EXPECT_THAT(site.Answer(request).text, Not(HasSubstr("root:")));
  for (const std::string wrong : {"", "[]", "{\"file\":1}", "{\"path\":\"Main.java\"}"}) {
    request.body = wrong;
    EXPECT_EQ(site.Answer(request).status, 400) << wrong;
  }
  EXPECT_EQ(site.Answer(Request(path_ + "/source/v1")).status, 405);

  HttpRequest of_page = Request(path_ + "/source");
  of_page.query = "class=Main%24Inner&file=Main.java";
  EXPECT_THAT(site.Answer(of_page).text,
              testing::AllOf(HasSubstr("\"source\":\"class Main {}\""), HasSubstr("Main.java\""),
                             HasSubstr("\"isFile\":true")));
}

TEST(RandomTokenTest, TokensHave128BitsAndDiffer) {
  std::set<std::string> tokens;
  for (int i = 0; i < 1000; ++i) tokens.insert(RandomToken().value());
  EXPECT_EQ(tokens.size(), 1000u);
  EXPECT_EQ(tokens.begin()->size(), 32u);
  EXPECT_EQ(tokens.begin()->find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace jprof
