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
  // If jprof is root, the child runs as this user and group, without supplementary groups. If jprof
  // is not root, both are ignored. If uid is 0, the child runs with the overflow ids (65534)
  // instead, because a file owned by root might be a copy of another user's file.
  uid_t uid = 0;
  gid_t gid = 0;
  // The child gets `inputs` as the descriptors kConfinedInput, kConfinedInput + 1 and so on, and
  // `output` as the descriptor kConfinedOutput.
  std::vector<int> inputs = {};
  int output = -1;
  uint64_t memory_bytes = 0;  // limit of the address space that the child adds after the fork
  uint64_t cpu_seconds = 0;
  uint64_t output_bytes = 0;
  // Called several times a second, in the process that called RunConfined, while the child works.
  // If the function returns false, the child is killed.
  std::function<bool()> while_working = [] { return true; };
  // Called if the child has exceeded its limit of memory or CPU time. Returns a phrase that is
  // appended to the error.
  std::function<std::string()> advice = [] { return std::string(); };
};

inline constexpr int kConfinedOutput = 3;
inline constexpr int kConfinedInput = 5;  // the number of the first input
inline constexpr size_t kMaxConfinedInputs = 500;

inline constexpr size_t kMaxAnswer = 64 * 1024;  // bytes
// Runs `work` in a confined child and returns its result, at most kMaxAnswer bytes. The caller must
// check the result, because the child might be compromised. The error is one line that says how the
// child ended without a result.
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

// GzipProcess: compresses the output of a confined process in a second confined process, so that
// conversion and compression run in parallel.
class GzipProcess {
 public:
  // Starts the process with the rights and limits in `rights`. The process writes one gzip member
  // to the descriptor `output`. Messages call this output `name`.
  static Outcome<GzipProcess> Start(const Confinement& rights, int output, const std::string& name);

  GzipProcess(GzipProcess&& other) noexcept;
  GzipProcess& operator=(GzipProcess&&) = delete;
  // Kills the process if it still runs. If Finish was not called, the output is incomplete.
  ~GzipProcess();

  // Returns the descriptor to which the uncompressed output is written. REQUIRES: besides this
  // process, at most one process has this descriptor.
  int input() const { return input_.get(); }

  // Closes input() and waits until the compressed output is complete. REQUIRES: called once.
  Status Finish();

  // Returns the error of the compression; OK if the compression has not failed. Call this after a
  // write to input() has failed.
  Status FailureStatus();

 private:
  GzipProcess(ScopedFd input, ScopedFd answer, pid_t pid)
      : input_(std::move(input)), answer_(std::move(answer)), pid_(pid) {}

  Status ReadAnswer();

  ScopedFd input_;
  ScopedFd answer_;  // read end of the pipe to which the process writes "+" or an error
  pid_t pid_;        // 0 if moved from
};

}  // namespace jprof
