// FakeJvm: a child process that looks like a HotSpot JVM to whoever attaches: libjvm.so is mapped,
// SIGQUIT is caught, and the two files of the attach mechanism work as in HotSpot, in a folder of
// the test's.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace jprof::test {

class FakeJvm {
 public:
  struct Plan {
    std::string folder;                // in place of /tmp
    std::string mapped = "libjvm.so";  // the name of a file that it maps; empty: none
    bool catches_quit = true;
    bool opens_socket = true;
    // What it does with a connection, the request having been read up to its last byte.
    std::function<void(int connection, const std::string& request)> serve;
  };

  explicit FakeJvm(const Plan& plan);
  ~FakeJvm();
  FakeJvm(const FakeJvm&) = delete;
  FakeJvm& operator=(const FakeJvm&) = delete;

  pid_t pid() const { return pid_; }

  void Signal(int signal) const;

  // Returns once the process has ended; it is a zombie then.
  void AwaitEnd() const;

 private:
  pid_t pid_;
};

// Replies to every request with `reply`.
std::function<void(int, const std::string&)> Replying(const std::string& reply);

}  // namespace jprof::test
