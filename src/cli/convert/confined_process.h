// RunConfined: runs work on untrusted files in a confined child process. The child has the rights
// of the files' owner, resource limits, and no descriptors except those of the files, the output
// and the answer (0 to 2 are /dev/null).
//
// So the author of a file gains no rights by exploiting a bug in the work. Needs Linux; used on
// jprof's only thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "attach/failure.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

struct Confinement {
  // The user and group that the child runs as, without supplementary groups, if jprof is root;
  // ignored if jprof is not root. For uid 0 the child runs with the overflow ids (65534), because a
  // file owned by root might be a copy of another user's.
  uid_t uid = 0;
  gid_t gid = 0;
  // The descriptors that the child gets: `inputs` as kConfinedInput and the numbers after it,
  // `output` as kConfinedOutput.
  std::vector<int> inputs = {};
  int output = -1;
  uint64_t memory_bytes = 0;  // address space in addition to jprof's memory
  uint64_t cpu_seconds = 0;
  uint64_t output_bytes = 0;
  // Called several times a second, in this process, while the child works. If it returns false, the
  // child is killed.
  std::function<bool()> while_working = [] { return true; };
  // Called after a child that needed more memory or CPU time than it may use. Returns the end of
  // the error's line.
  std::function<std::string()> advice = [] { return std::string(); };
};

inline constexpr int kConfinedOutput = 3;
inline constexpr int kConfinedInput = 5;  // the number of the first input
inline constexpr size_t kMaxConfinedInputs = 500;

inline constexpr size_t kMaxAnswer = 64 * 1024;  // bytes
// Returns the result of `work`, at most kMaxAnswer bytes. The caller must check the result: the
// child might be compromised. The error is one line about how the child ended instead.
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

// GzipProcess: compresses the output of a confined process in a second confined process, so that
// the two share the work of a conversion.
class GzipProcess {
 public:
  // Starts the process. `rights`: its rights and limits; `output`, called `name` in messages, gets
  // one gzip member.
  static Outcome<GzipProcess> Start(const Confinement& rights, int output, const std::string& name);

  GzipProcess(GzipProcess&& other) noexcept;
  GzipProcess& operator=(GzipProcess&&) = delete;
  // Kills the process; without Finish the output is incomplete.
  ~GzipProcess();

  // Returns the descriptor to write to. REQUIRES: at most one other process has it.
  int input() const { return input_.get(); }

  // Ends the input and waits until the output is complete. REQUIRES: called once.
  Status Finish();

  // Returns why the compression failed, for a caller whose write to input() failed; OK if it has
  // not failed.
  Status FailureStatus();

 private:
  GzipProcess(ScopedFd input, ScopedFd answer, pid_t pid)
      : input_(std::move(input)), answer_(std::move(answer)), pid_(pid) {}

  Status ReadAnswer();

  ScopedFd input_;
  ScopedFd answer_;  // the read end of a pipe, which gets "+" or an error
  pid_t pid_;        // 0: moved from
};

}  // namespace jprof
