// SourceProcess: a process that reads sources with jprof's rights, for a confined process that has
// fewer: of what the caller named, it passes on single source files (sources/source_service.h).
//
// Linux; jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/failure.h"
#include "base/scoped_fd.h"

namespace jprof {

class SourceProcess {
 public:
  // Fails for a place that is none.
  static Outcome<SourceProcess> Start(const std::vector<std::string>& places);

  SourceProcess(SourceProcess&& other) noexcept;
  SourceProcess& operator=(SourceProcess&&) = delete;
  // Ends the process.
  ~SourceProcess();

  // For the confined process.
  int socket() const { return socket_.get(); }

 private:
  SourceProcess(ScopedFd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  ScopedFd socket_;
  pid_t pid_;  // 0: moved from
};

}  // namespace jprof
