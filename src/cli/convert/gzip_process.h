// GzipProcess: compresses the output of a confined process in a second confined process, so that
// the two share the work of a conversion.
//
// Needs Linux; used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "attach/failure.h"
#include "base/scoped_fd.h"
#include "cli/convert/confined_process.h"

namespace jprof {

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
