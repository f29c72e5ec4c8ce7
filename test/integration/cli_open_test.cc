// jprof open: what it serves, to which clients, and when it ends. test/serve tests the answers to
// every kind of request.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Unescaped(std::string url) {
  for (size_t at = url.find('%'); at != std::string::npos; at = url.find('%', at + 1)) {
    url.replace(at, 3, 1, static_cast<char>(std::stoi(url.substr(at + 1, 2), nullptr, 16)));
  }
  return url;
}

class CliOpenTest : public CliTest {
 protected:
  void SetUp() override {
    const ProcessResult result =
        RunProfiled("start,event=cpu,file=" + Path("out.jfr"), {"BusyLoop", "1", "300"});
    ASSERT_EQ(result.exit_code, 0) << result.Describe();
  }

  Result<RunningProcess> Open(std::vector<std::string> options) const {
    options.insert(options.begin(), "open");
    options.emplace_back("out.jfr");
    ProcessSpec spec = JprofSpec(options);
    spec.working_directory = folder();
    return RunningProcess::Start(spec);
  }

  // Sends a request for a path to the server at `address` ("http://127.0.0.1:4711/..."), and
  // returns its answer.
  static std::string Ask(const std::string& address, const std::string& lines = "",
                         const std::string& body = "") {
    const std::string rest = address.substr(std::string("http://127.0.0.1:").size());
    const std::string port = rest.substr(0, rest.find('/'));
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(port)));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const ScopedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0) << address;
    std::string request = body.empty() ? "GET " : "POST ";
    request +=
        rest.substr(rest.find('/')) + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n" + lines;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    request += "\r\n" + body;
    EXPECT_GT(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL), 0);
    std::string answer;
    char buffer[65536];
    ssize_t got = 0;
    while ((got = recv(fd.get(), buffer, sizeof buffer, 0)) > 0) {
      answer.append(buffer, static_cast<size_t>(got));
    }
    return answer;
  }
};
JPROF_ON_NEWEST_JDK(CliOpenTest);

TEST_P(CliOpenTest, ServesThePageUntilCtrlC) {
  auto open = Open({"--no-browser", "--source", JavaSources() + "/workloads"});
  ASSERT_TRUE(open.ok()) << open.error().message();
  const Result<std::string> address = open.value().WaitForLine("http://127.0.0.1:");
  ASSERT_TRUE(address.ok()) << address.error().message();
  const std::string& page = address.value();
  EXPECT_THAT(Ask(page), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("text/html"),
                               HasSubstr("BusyLoop"), HasSubstr("</html>")));
  EXPECT_THAT(Ask(page + "source?class=BusyLoop&file=BusyLoop.java"), HasSubstr("burnThree"));
  if (std::filesystem::exists(jdk().home + "/lib/src.zip")) {
    EXPECT_THAT(Ask(page + "source?class=java.util.HashMap"), HasSubstr("public class HashMap"));
  }
  std::string other = page;
  other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
  EXPECT_THAT(Ask(other), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Ask(page, "Origin: https://evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  open.value().SendSignal(SIGINT);
  EXPECT_EQ(open.value().Wait().exit_code, 0);
}

TEST_P(CliOpenTest, TheFirefoxProfilerGetsProfileAndSources) {
  auto open = Open({"--firefox", "--no-browser", "--source", JavaSources() + "/workloads"});
  ASSERT_TRUE(open.ok()) << open.error().message();
  const std::string begin = "https://profiler.firefox.com/from-url/";
  const Result<std::string> address = open.value().WaitForLine(begin);
  ASSERT_TRUE(address.ok()) << address.error().message();
  const std::string& line = address.value();
  const size_t end = line.find("/?symbolServer=");
  ASSERT_NE(end, std::string::npos) << line;
  const std::string profile = Unescaped(line.substr(begin.size(), end - begin.size()));
  const std::string server = Unescaped(line.substr(end + std::string("/?symbolServer=").size()));
  const std::string origin = "Origin: https://profiler.firefox.com\r\n";
  const std::string answer = Ask(profile, origin);
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Encoding: gzip"),
                            HasSubstr("Access-Control-Allow-Origin: https://profiler.firefox.com"),
                            HasSubstr("\r\n\r\n\x1F\x8B")));
  EXPECT_THAT(Ask(server + "/source/v1", origin, R"({"file":"BusyLoop.java"})"),
              AllOf(HasSubstr("Access-Control-Allow-Origin: https://profiler.firefox.com"),
                    HasSubstr("burnThree")));
}

TEST_P(CliOpenTest, EndsWhenItIsIdle) {
  auto open = Open({"--no-browser", "--idle", "100ms"});
  ASSERT_TRUE(open.ok()) << open.error().message();
  const ProcessResult result = open.value().Wait();
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(result.err, HasSubstr("unused for"));
}

TEST_P(CliOpenTest, TheBrowserGetsAOneTimeAddress) {
  std::ofstream(Path("browser")) << "#!/bin/sh\necho \"$1\" > given.part && mv given.part given\n";
  std::filesystem::permissions(Path("browser"), std::filesystem::perms::owner_all);
  ProcessSpec spec = JprofSpec({"open", "out.jfr"});
  spec.working_directory = folder();
  spec.env = {{"BROWSER", Path("browser")}};
  auto open = RunningProcess::Start(spec);
  ASSERT_TRUE(open.ok()) << open.error().message();
  const Result<std::string> address = open.value().WaitForLine("http://127.0.0.1:");
  ASSERT_TRUE(address.ok()) << address.error().message();
  while (!std::filesystem::exists(Path("given"))) usleep(10'000);
  std::string given;
  std::getline(std::ifstream(Path("given")), given);
  EXPECT_NE(given, address.value()) << "other users see the arguments of a browser";
  EXPECT_THAT(Ask(given),
              AllOf(StartsWith("HTTP/1.1 302 "), HasSubstr("Location: " + address.value())));
  EXPECT_THAT(Ask(given), StartsWith("HTTP/1.1 404 "));
}

TEST_P(CliOpenTest, AcceptsAListOfBrowserCommands) {
  std::ofstream(Path("browser"))
      << "#!/bin/sh\necho \"$#|$1|$2\" > given.part && mv given.part given\n";
  std::filesystem::permissions(Path("browser"), std::filesystem::perms::owner_all);
  ProcessSpec spec = JprofSpec({"open", "out.jfr"});
  spec.working_directory = folder();
  spec.env = {{"BROWSER", "/no/such/browser:" + Path("browser") + " --app=%s --zoom=50%%"}};
  auto open = RunningProcess::Start(spec);
  ASSERT_TRUE(open.ok()) << open.error().message();
  ASSERT_TRUE(open.value().WaitForLine("http://127.0.0.1:").ok());
  while (!std::filesystem::exists(Path("given"))) usleep(10'000);
  std::string given;
  std::getline(std::ifstream(Path("given")), given);
  EXPECT_THAT(given,
              testing::MatchesRegex("2\\|--app=http://127.0.0.1:[0-9]+/[0-9a-f]+/\\|--zoom=50%"));
}

TEST_P(CliOpenTest, AProfileForFirefoxContainsTheNamedSources) {
  ASSERT_EQ(Jprof({"convert", "out.jfr", "bare.json"}).exit_code, 0);
  const ProcessResult made =
      Jprof({"convert", "--source", JavaSources() + "/workloads", "out.jfr", "full.json"});
  ASSERT_EQ(made.exit_code, 0) << made.Describe();
  const std::string text = "public final class BusyLoop";
  EXPECT_THAT(Content("full.json"), HasSubstr(text));
  EXPECT_THAT(Content("bare.json"), Not(HasSubstr(text)));
  EXPECT_THAT(Jprof({"convert", "--source", "none", "out.jfr", "x.json"}),
              FailedWith(kFile, "'none'"));
  EXPECT_THAT(Jprof({"convert", "--source", ".", "out.jfr", "x.otlp"}),
              FailedWith(kUsage, "--source is for pages"));
}

TEST_P(CliOpenTest, ReportsSourcesOfAnotherJdk) {
  std::filesystem::create_directories(Path("jdk/lib"));
  std::ofstream(Path("jdk/release")) << "JAVA_VERSION=\"1.2.3\"\n";
  if (!std::filesystem::exists(jdk().home + "/lib/src.zip")) GTEST_SKIP() << "no src.zip";
  std::filesystem::create_symlink(jdk().home + "/lib/src.zip", Path("jdk/lib/src.zip"));
  // jprof runs as the user nobody on root's recording, and looks for the sources as this user.
  std::filesystem::permissions(folder(), std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add);
  const ProcessResult other =
      Jprof({"open", "--no-browser", "--idle", "10ms", "--source", "jdk/lib/src.zip", "out.jfr"});
  EXPECT_THAT(other.err, HasSubstr("lines may not match those of 'jdk/lib/src.zip', of JDK 1.2.3"));
  const ProcessResult same = Jprof({"open", "--no-browser", "--idle", "10ms", "out.jfr"});
  EXPECT_THAT(same.err, Not(HasSubstr("lines may not match")));
}

TEST_P(CliOpenTest, ReportsWhatItCannotOpen) {
  ProcessSpec spec = JprofSpec({"open", "--idle", "10ms", "out.jfr"});
  spec.working_directory = folder();
  spec.env = {{"BROWSER", "/no/such/browser"}};
  const ProcessResult result = RunProcess(spec);
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(result.err, HasSubstr("/no/such/browser"));
  EXPECT_THAT(Jprof({"open", "--source", "none", "out.jfr"}), FailedWith(kUsage, "'none'"));
  EXPECT_THAT(Jprof({"open", "none.jfr"}), FailedWith(kFile, "none.jfr"));
  std::ofstream(Path("text.jfr")) << "no recording";
  EXPECT_THAT(Jprof({"open", "text.jfr"}), FailedWith(kFile, "text.jfr"));
  EXPECT_THAT(Jprof({"record", "--open", "-o", "out.collapsed", "--", "true"}),
              FailedWith(kUsage, "--open shows .jfr and .html"));
}

TEST_P(CliOpenTest, RecordShowsItsResult) {
  ProcessSpec spec = JprofSpec({"record", "--open", "-o", "new.jfr", "--"});
  for (const std::string& word : Java({"BusyLoop", "1", "100"}).argv) spec.argv.push_back(word);
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  const Result<std::string> address = record.value().WaitForLine("http://127.0.0.1:");
  ASSERT_TRUE(address.ok()) << address.error().message();
  EXPECT_THAT(Ask(address.value()), HasSubstr("BusyLoop"));
  record.value().SendSignal(SIGTERM);
  EXPECT_EQ(record.value().Wait().exit_code, 0);
}

}  // namespace
}  // namespace jprof::test
