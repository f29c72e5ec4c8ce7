#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http_message.h"

namespace jprof {
namespace {

constexpr char kHost[] = "Host: 127.0.0.1:1\r\n";

// Returns the status of a request. Expects the same status whether the bytes come at once or one by
// one.
int StatusOf(const std::string& bytes) {
  HttpRequestReader whole;
  const int status = whole.Take(bytes);
  HttpRequestReader slow;
  int last = 0;
  for (size_t i = 0; i < bytes.size() && last == 0; ++i) {
    last = slow.Take(std::string_view(bytes).substr(i, 1));
  }
  EXPECT_EQ(status, last) << "the parts in which it comes do not matter: " << bytes.substr(0, 200);
  return status;
}

std::string Get(const std::string& lines) {
  return "GET / HTTP/1.1\r\n" + std::string(kHost) + lines + "\r\n";
}

TEST(HttpRequestTest, ReadsARequestThatComesInAnyParts) {
  const std::string bytes = "POST /token/source/v1?a=1&b=x%20y HTTP/1.1\r\n" + std::string(kHost) +
                            "ORIGIN:  https://a.b \r\nContent-Length: 5\r\n\r\nhello";
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    HttpRequestReader reader;
    ASSERT_EQ(reader.Take(bytes.substr(0, cut)), 0) << cut;
    ASSERT_EQ(reader.Take(bytes.substr(cut)), 200) << cut;
    const HttpRequest& request = reader.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/token/source/v1");
    EXPECT_EQ(request.query, "a=1&b=x%20y");
    EXPECT_EQ(request.Header("origin"), "https://a.b");
    EXPECT_EQ(request.Header("host"), "127.0.0.1:1");
    EXPECT_EQ(request.body, "hello");
  }
}

TEST(HttpRequestTest, RefusesRequestsThatOtherServersRepair) {
  EXPECT_EQ(StatusOf(Get("")), 200);
  for (const std::string& wrong : {
           std::string("GET / HTTP/1.1\r\n\r\n"),                       // no Host
           Get("Host: other\r\n"),                                      // two Hosts
           Get("Content-Length: 1\r\nContent-Length: 2\r\n"),           // two lengths
           Get("Origin: a\r\nOrigin: b\r\n"),                           //
           Get("Content-Length: -1\r\n"),                               //
           Get("Content-Length: +1\r\n"),                               //
           Get("Content-Length: 0x1\r\n"),                              //
           Get("Content-Length: 1 1\r\n"),                              //
           Get(" folded: line\r\n"),                                    //
           Get("Space : before colon\r\n"),                             //
           Get("no colon\r\n"),                                         //
           Get(": no name\r\n"),                                        //
           Get("A: bare \n line feed\r\n"),                             //
           Get(std::string("A: nul \0 byte\r\n", 15)),                  //
           Get("A: \x1b[31m\r\n"),                                      //
           "GET  / HTTP/1.1\r\n" + std::string(kHost) + "\r\n",         // two spaces
           "GET http://a/ HTTP/1.1\r\n" + std::string(kHost) + "\r\n",  // proxy form
           "G\x01T / HTTP/1.1\r\n" + std::string(kHost) + "\r\n",       //
           "GET /\x80 HTTP/1.1\r\n" + std::string(kHost) + "\r\n",      //
           "GET /\r\n" + std::string(kHost) + "\r\n",                   // HTTP 0.9
           "\r\nGET / HTTP/1.1\r\n" + std::string(kHost) + "\r\n",      //
       }) {
    EXPECT_EQ(StatusOf(wrong), 400) << wrong;
  }
  EXPECT_EQ(StatusOf("GET / HTTP/2.0\r\n" + std::string(kHost) + "\r\n"), 505);
  EXPECT_EQ(StatusOf(Get("Transfer-Encoding: chunked\r\n")), 501);
}

TEST(HttpRequestTest, AcceptsSizesUpToTheLimitsOnly) {
  const auto with_headers = [](size_t count) {
    std::string lines;
    for (size_t i = 1; i < count; ++i) lines += "a: b\r\n";
    return Get(lines);
  };
  EXPECT_EQ(StatusOf(with_headers(HttpRequestReader::kMaxHeaders)), 200);
  EXPECT_EQ(StatusOf(with_headers(HttpRequestReader::kMaxHeaders + 1)), 431);

  const size_t rest = HttpRequestReader::kMaxHead - (Get("a: \r\n").size() - 4);
  EXPECT_EQ(StatusOf(Get("a: " + std::string(rest, 'x') + "\r\n")), 200);
  EXPECT_EQ(StatusOf(Get("a: " + std::string(rest + 1, 'x') + "\r\n")), 431);
  HttpRequestReader endless;
  EXPECT_EQ(endless.Take(std::string(HttpRequestReader::kMaxHead + 4, 'x')), 431);

  const std::string most = std::to_string(HttpRequestReader::kMaxBody);
  EXPECT_EQ(StatusOf(Get("Content-Length: " + most + "\r\n") +
                     std::string(HttpRequestReader::kMaxBody, 'x')),
            200);
  EXPECT_EQ(StatusOf(Get("Content-Length: " + most + "1\r\n")), 413);
  EXPECT_EQ(StatusOf(Get("Content-Length: 99999999999999999999999\r\n")), 413);
}

TEST(HttpRequestTest, IgnoresBytesAfterTheRequest) {
  HttpRequestReader reader;
  EXPECT_EQ(reader.Take(Get("Content-Length: 2\r\n") + "abcd"), 200);
  EXPECT_EQ(reader.request().body, "ab");
}

TEST(HttpRequestTest, EscapesOfUrlsAreReadAndWritten) {
  EXPECT_EQ(UnescapedUrl("a%20b%2Fc%zz%4"), "a b/c%zz%4");
  EXPECT_EQ(EscapedUrl("http://127.0.0.1:1/x y"), "http%3A%2F%2F127.0.0.1%3A1%2Fx%20y");
  EXPECT_EQ(QueryValue("class=a.B%24C&file=B.java&empty", "class"), "a.B$C");
  EXPECT_EQ(QueryValue("class=a.B%24C&file=B.java&empty", "file"), "B.java");
  EXPECT_EQ(QueryValue("class=a.B%24C&file=B.java&empty", "empty"), "");
  EXPECT_EQ(QueryValue("class=a.B%24C&file=B.java&empty", "fil"), "");
}

}  // namespace
}  // namespace jprof
