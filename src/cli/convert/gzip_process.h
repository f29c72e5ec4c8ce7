// GzipProcess: compresses what a confined process writes, in a confined process of its own: the two
// share the work of a conversion.
//
// Linux; jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "attach/failure.h"
#include "base/scoped_fd.h"
#include "cli/convert/confined_process.h"

namespace jprof {

class GzipProcess {
 public:
  // `rights`: rights and limits of the process; `output`, called `name` in messages, gets one gzip
  // member.
  static Outcome<GzipProcess> Start(const Confinement& rights, int output, const std::string& name);

  GzipProcess(GzipProcess&& other) noexcept;
  GzipProcess& operator=(GzipProcess&&) = delete;
  // Ends the process; without Finish the output has no end.
  ~GzipProcess();

  // Where to write. At most one process beside this one may have it.
  int input() const { return input_.get(); }

  // Ends the input and waits until the output is complete. REQUIRES: called once.
  Status Finish();

  // For a writer that failed: the error of the compression, if that was the reason.
  Status WhyItFailed();

 private:
  GzipProcess(ScopedFd input, ScopedFd answer, pid_t pid)
      : input_(std::move(input)), answer_(std::move(answer)), pid_(pid) {}

  Status ReadAnswer();

  ScopedFd input_;
  ScopedFd answer_;  // its end of a pipe: kGood, or an error
  pid_t pid_;        // 0: moved from
};

}  // namespace jprof
