#include "cli/convert/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable_text.h"
#include "base/scoped_fd.h"
#include "cli/convert/conversion.h"
#include "cli/convert/convert_command.h"
#include "cli/words/command_line.h"
#include "cli/words/interrupt.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
#include "formats/format_row.h"
#include "formats/output_stream.h"
#include "jfr/format/jfr_types.h"
#include "options/error_text.h"
#include "os/read_file.h"
#include "profile/profile_event.h"
#include "serve/loopback_server.h"
#include "serve/profile_site.h"
#include "sigsafe/os/clock.h"
#include "sources/source_finder.h"

namespace jprof {
namespace {

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Replaces each %s in `word` by the address, and each %% by %. Returns true if `word` contained %s.
bool Expand(std::string& word, const std::string& address) {
  bool has_address = false;
  for (size_t at = word.find('%'); at != std::string::npos; at = word.find('%', at)) {
    const char kind = at + 1 < word.size() ? word[at + 1] : '\0';
    has_address |= kind == 's';
    if (kind == 's') word.replace(at, 2, address);
    if (kind == '%') word.erase(at, 1);
    at += kind == 's' ? address.size() : 1;
  }
  return has_address;
}

// Returns the words of a command such as "chromium --app=%s", with each %s replaced by the address.
// If the command has no %s, appends the address as the last word.
std::vector<std::string> WordsOf(std::string_view command, const std::string& address) {
  std::vector<std::string> words;
  bool has_address = false;
  for (size_t begin = 0; begin < command.size();) {
    const size_t end = std::min(command.find(' ', begin), command.size());
    std::string word(command.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    has_address |= Expand(word, address);
    words.push_back(std::move(word));
  }
  if (!words.empty() && !has_address) words.push_back(address);
  return words;
}

// Executes the browser in this process, a grandchild of jprof. Init adopts the grandchild, so jprof
// does not have to wait for its end.
[[noreturn]] void ExecuteDetached(const std::vector<std::string>& words, int report) {
  setsid();
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  }
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written > 0 ? 127 : 126);
}

Status Start(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error::FromErrno("pipe2", "");
  const ScopedFd from_child(ends[0]);
  ScopedFd to_parent(ends[1]);
  const pid_t child = fork();
  if (child < 0) return Error::FromErrno("fork", "");
  if (child == 0) {
    const pid_t browser = fork();
    if (browser == 0) ExecuteDetached(words, to_parent.get());
    _exit(browser < 0 ? 1 : 0);
  }
  to_parent.Reset();
  waitpid(child, nullptr, 0);
  int error = 0;
  ssize_t got = 0;
  while ((got = read(from_child.get(), &error, sizeof error)) < 0 && errno == EINTR) continue;
  if (got == 0) return {};
  errno = error;
  return Error::FromErrno("start", words.front());
}

// Tries the commands in a list such as "firefox:chromium --app=%s" until one of them can be
// started. If none can be started, returns the error of the last one.
Status StartFirstOf(std::string_view list, const std::string& address) {
  Status started = Error("BROWSER names no command");
  for (size_t begin = 0; begin < list.size() && !started;) {
    const size_t end = std::min(list.find(':', begin), list.size());
    const std::vector<std::string> words = WordsOf(list.substr(begin, end - begin), address);
    if (!words.empty()) started = Start(words);
    begin = end + 1;
  }
  return started;
}

// Shows the address in the user's browser, without waiting for the browser. If $BROWSER is set, it
// is a list of commands such as "firefox:chromium --app=%s", and the first command that can be
// started is used. If $BROWSER is not set, starts xdg-open. In this case, fails if there is no
// display, or if jprof runs as root, because browsers refuse to run as root. The error says why no
// browser was started.
Status OpenInBrowser(const std::string& address) {
  const char* const browser = std::getenv("BROWSER");
  if (browser != nullptr && *browser != '\0') {
    return StartFirstOf(browser, address);
  }
  if (geteuid() == 0) return Error("no browser for root");
  if (!IsSet("DISPLAY") && !IsSet("WAYLAND_DISPLAY")) return Error("there is no display");
  return Start({"xdg-open", address});
}

// Returns "25.0.3" for "... VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on ...".
std::string VersionIn(const std::string& jvm_version) {
  constexpr std::string_view kBegin = "JRE (";
  const size_t begin = jvm_version.find(kBegin);
  if (begin == std::string::npos) return {};
  const std::string version = jvm_version.substr(begin + kBegin.size());
  return version.substr(0, version.find_first_of("+-)"));
}

// JavaHomeWriter: writes the java.home of the recorded JVM, a line feed, and the version of the
// JVM's JDK. Each of the two texts is empty if the recording lacks it. The class is a FormatWriter
// because only conversions read a recording in a confined process.
class JavaHomeWriter : public FormatWriter {
 public:
  void OnSample(const profile::Sample&) override {}

  bool WantsEvents(const profile::RecordedType& type) override {
    return type.name == JfrName(JfrType::kInitialSystemProperty);
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    if (event.event.Field("key").String() != "java.home") return;
    home_ = event.event.Field("value").String();
  }

  Status Write(const profile::Profile& profile, const FormatContext&, OutputStream& out) override {
    out.Text(home_ + "\n" + VersionIn(profile.jvm_version));
    return {};
  }

 private:
  std::string home_;
};

std::unique_ptr<FormatWriter> Make(const FormatOptions&) {
  return std::make_unique<JavaHomeWriter>();
}

constexpr FormatRow kJavaHome = {
    "java.home", "", "", FormatKinds::kAll, FormatLines::kIfAsked, FormatContent::kLines, Make};

constexpr Nanos kStep = kNanosPerSecond;
constexpr size_t kMaxPath = 4096;

uint64_t SizeOf(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

void AddJdkOf(const profile::RecordingInput& recording, SourceFinder& sources) {
  const profile::Slice everything;
  const Outcome<InMemory> made = ConvertToMemory({{&recording, 1}, everything, {&kJavaHome}});
  if (!made) return;
  const Result<std::string> read =
      ReadFile("/proc/self/fd/" + std::to_string(made.value().file.get()), kMaxPath);
  if (!read) return;
  const std::string& text = read.value();
  const std::string home = text.substr(0, text.rfind('\n'));
  const std::string version = text.substr(text.rfind('\n') + 1);
  if (home.starts_with('/')) static_cast<void>(sources.AddJdk(home));
  if (version.empty()) return;
  for (const std::string& other : sources.JdksOtherThan(version)) {
    PrintNote("note: lines may not match those of " + other + ": the recording is of JDK " +
              PrintableText(version, Layout::kEscape));
  }
}

struct Serving {
  ProfileSite::Content content;
  bool opens_browser = true;
  std::string idle = std::string(DefaultOf(CliOption::kIdle));  // as given on the command line
  Nanos idle_ns = 0;
};

Outcome<void> Serve(const Serving& serving, SourceFinder& sources) {
  const Result<std::string> token = RandomToken();
  const Result<std::string> opening = RandomToken();
  if (!token || !opening) {
    return Failure(FailureKind::kFile, token ? opening.error() : token.error());
  }
  const FindSource find_source = [&sources](std::string_view class_name,
                                            std::string_view file_name) {
    return sources.Find(class_name, file_name);
  };
  ProfileSite site(serving.content, find_source, token.value(), opening.value());
  Result<LoopbackServer> server =
      LoopbackServer::Listen([&site](const HttpRequest& request) { return site.Answer(request); });
  if (!server) return Failure(FailureKind::kFile, server.error());
  site.SetPort(server.value().port());
  const Interrupt interrupt;
  Print(stdout, site.Address());
  std::fflush(stdout);
  PrintNote("served on this machine until Ctrl-C, or until unused for " + serving.idle +
            "; who has the address can read it");
  if (serving.opens_browser) {
    const Status opened = OpenInBrowser(site.OpeningAddress());
    if (!opened) PrintNote(opened.error().message() + ": open the address yourself");
  }
  while (!interrupt.IsRequested()) {
    const Nanos unused_ns = MonotonicNanos() - server.value().last_use_ns();
    if (unused_ns >= serving.idle_ns && !server.value().IsAnswering()) {
      PrintNote("unused for " + serving.idle + ": ended");
      break;
    }
    interrupt.WaitUntil(Deadline::In(kStep), server.value().fd());
    server.value().Serve();
  }
  return {};
}

Outcome<void> ServePage(int page, const Serving& how, SourceFinder& sources) {
  Serving serving = how;
  serving.content.fd = page;
  serving.content.bytes = SizeOf(page);
  return Serve(serving, sources);
}

}  // namespace

Outcome<void> Open(const CommandLine& line) {
  const bool is_firefox = line.Has(NameOf(CliOption::kFirefox));
  const Outcome<Nanos> idle = TimeOption(line, CliOption::kIdle);
  if (!idle) return idle.error();
  Result<SourceFinder> sources = SourceFinder::Of(SourcePlacesOf(line));
  if (!sources) {
    return Failure(FailureKind::kUsage, "--source: " + sources.error().message());
  }
  const FormatRow* const format = AllFormats().Named(is_firefox ? "firefox" : "html");
  Outcome<ConvertOptions> options = ConvertOptionsOf(line, *format);
  if (!options) return options.error();
  const Outcome<profile::Slice> slice = SliceOf(line, is_firefox ? options.value().event : "");
  if (!slice) return slice.error();
  const auto recordings = OpenRecordings({line.arguments.front()});
  if (!recordings) return recordings.error();
  // The profile for the Firefox Profiler contains no sources: the Profiler asks the server for the
  // sources that it shows (/source/v1).
  const auto in_page = is_firefox ? std::vector<std::string>() : SourcePlacesOf(line);
  const Outcome<InMemory> made = ConvertToMemory({.inputs = recordings.value(),
                                                  .slice = slice.value(),
                                                  .format = {format, is_firefox},
                                                  .options = options.value(),
                                                  .sources = in_page});
  if (!made) return made.error();
  PrintNotes(made.value().report);
  AddJdkOf(recordings.value().front(), sources.value());
  Serving serving;
  serving.content.kind =
      is_firefox ? ProfileSite::Content::Kind::kFirefoxProfile : ProfileSite::Content::Kind::kPage;
  serving.opens_browser = !line.Has(NameOf(CliOption::kNoBrowser));
  serving.idle = line.Value(CliOption::kIdle);
  serving.idle_ns = idle.value();
  return ServePage(made.value().file.get(), serving, sources.value());
}

Outcome<void> OpenResult(const std::string& path) {
  if (IsRecordingPath(path)) {
    CommandLine line;
    line.command = CliCommand::kOpen;
    line.arguments = {path};
    return Open(line);
  }
  const Result<ScopedFd> page = OpenRegularFile(path, LastLink::kFollow);
  if (!page) return Failure(FailureKind::kFile, page.error());
  SourceFinder sources;
  Serving serving;
  serving.idle_ns = TimeOption(CommandLine(), CliOption::kIdle).value();
  return ServePage(page.value().get(), serving, sources);
}

Outcome<void> CheckCanOpen(const std::string& path) {
  const FormatRow* const format = AllFormats().OfPath(path);
  if (IsRecordingPath(path) || (format != nullptr && format->name == "html")) return {};
  return Failure(FailureKind::kUsage,
                 "--open shows .jfr and .html, and " + Quote(path) + " is neither");
}

}  // namespace jprof
