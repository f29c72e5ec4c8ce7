// RunConfined: runs work on untrusted files in a confined child process. The child has the rights
// of the files' owner, resource limits, and no descriptors except those of the files, the output
// and the answer (0 to 2 are /dev/null).
//
// So an author of a file who exploits a bug in the work gains no rights. Needs Linux; used on
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
  // ignored otherwise. If uid is 0, the child runs with the overflow ids (65534), because a file
  // owned by root might be a copy of another user's file.
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
  // Called if the child needed more memory or CPU time than it may use. Returns a phrase that ends
  // the line of the error.
  std::function<std::string()> advice = [] { return std::string(); };
};

inline constexpr int kConfinedOutput = 3;
inline constexpr int kConfinedInput = 5;  // the number of the first input
inline constexpr size_t kMaxConfinedInputs = 500;

inline constexpr size_t kMaxAnswer = 64 * 1024;  // bytes
// Returns the result of `work`, at most kMaxAnswer bytes. The caller must check the result: the
// child might be compromised. The error is one line that says how the child ended without a result.
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

// GzipProcess: compresses the output of a confined process in a second confined process, so that
// the two share the work of a conversion.
class GzipProcess {
 public:
  // Starts the process with the rights and limits of `rights`. It writes one gzip member to
  // `output`, which messages call `name`.
  static Outcome<GzipProcess> Start(const Confinement& rights, int output, const std::string& name);

  GzipProcess(GzipProcess&& other) noexcept;
  GzipProcess& operator=(GzipProcess&&) = delete;
  // Kills the process; without Finish the output is incomplete.
  ~GzipProcess();

  // Returns the descriptor to which the uncompressed output is written. REQUIRES: at most one other
  // process has it.
  int input() const { return input_.get(); }

  // Ends the input and waits until the output is complete. REQUIRES: called once.
  Status Finish();

  // Returns the reason for which the compression failed, for a caller whose write to input()
  // failed; OK if the compression has not failed.
  Status FailureStatus();

 private:
  GzipProcess(ScopedFd input, ScopedFd answer, pid_t pid)
      : input_(std::move(input)), answer_(std::move(answer)), pid_(pid) {}

  Status ReadAnswer();

  ScopedFd input_;
  ScopedFd answer_;  // the read end of a pipe, which gets "+" or an error
  pid_t pid_;        // 0 if moved from
};

}  // namespace jprof
