#include "cli/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// The first command of a list "firefox:chromium %s", as words.
std::vector<std::string> WordsOf(std::string_view list, const std::string& address) {
  std::string command(list.substr(0, list.find(':')));
  std::vector<std::string> words;
  bool has_address = false;
  for (size_t begin = 0; begin < command.size();) {
    const size_t end = std::min(command.find(' ', begin), command.size());
    std::string word = command.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    has_address |= word == "%s";
    words.push_back(word == "%s" ? address : word);
  }
  if (!words.empty() && !has_address) words.push_back(address);
  return words;
}

// In the grandchild, which init inherits: the browser is no child that jprof would have to await.
[[noreturn]] void Execute(const std::vector<std::string>& words, int report) {
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
    if (browser == 0) Execute(words, to_parent.get());
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

}  // namespace

Status OpenInBrowser(const std::string& address) {
  const char* const browser = std::getenv("BROWSER");
  if (browser != nullptr && *browser != '\0') {
    const std::vector<std::string> words = WordsOf(browser, address);
    return words.empty() ? Status(Error("BROWSER names no command")) : Start(words);
  }
  if (geteuid() == 0) return Error("no browser for root");
  if (!IsSet("DISPLAY") && !IsSet("WAYLAND_DISPLAY")) return Error("there is no display");
  return Start({"xdg-open", address});
}

}  // namespace jprof
