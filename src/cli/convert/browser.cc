#include "cli/convert/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Replaces each %s in `word` by the address and %% by %. Returns true if `word` had a %s.
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

// Returns the words of a command such as "chromium --app=%s"; without %s the address is the last
// word.
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

// Executes the browser. Runs in a grandchild, which init adopts, so that jprof need not wait for
// it.
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

// Starts the first command that can be started in a list such as "firefox:chromium --app=%s". If
// none can, returns the last error.
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

}  // namespace

Status OpenInBrowser(const std::string& address) {
  const char* const browser = std::getenv("BROWSER");
  if (browser != nullptr && *browser != '\0') {
    return StartFirstOf(browser, address);
  }
  if (geteuid() == 0) return Error("no browser for root");
  if (!IsSet("DISPLAY") && !IsSet("WAYLAND_DISPLAY")) return Error("there is no display");
  return Start({"xdg-open", address});
}

}  // namespace jprof
