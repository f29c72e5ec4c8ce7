// FakeJvm: a child process that looks like a HotSpot JVM to an attach client. It maps libjvm.so,
// catches SIGQUIT, and uses the two files of the attach mechanism as HotSpot does, but in a folder
// of the test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace jprof::test {

class FakeJvm {
 public:
  struct Plan {
    std::string folder;                // the folder that replaces /tmp
    std::string mapped = "libjvm.so";  // name of a file that the process maps; empty for none
    bool catches_quit = true;
    bool opens_socket = true;
    // Serves a connection after its whole request was read.
    std::function<void(int connection, const std::string& request)> serve;
  };

  explicit FakeJvm(const Plan& plan);
  ~FakeJvm();
  FakeJvm(const FakeJvm&) = delete;
  FakeJvm& operator=(const FakeJvm&) = delete;

  pid_t pid() const { return pid_; }

  void Signal(int signal) const;

  // Returns once the process has ended and is a zombie.
  void AwaitEnd() const;

 private:
  pid_t pid_;
};

// Returns a Plan::serve that replies to every request with `reply`.
std::function<void(int, const std::string&)> Replying(const std::string& reply);

}  // namespace jprof::test
