// ErrnoSaver: restores errno when the scope ends. It is the first object of every signal handler,
// because the interrupted code might be about to read the errno of a failed call.
//
// Async-signal-safe.
#pragma once

#include <cerrno>

namespace jprof {

class ErrnoSaver {
 public:
  ErrnoSaver() : saved_(errno) {}
  ~ErrnoSaver() { errno = saved_; }
  ErrnoSaver(const ErrnoSaver&) = delete;
  ErrnoSaver& operator=(const ErrnoSaver&) = delete;

 private:
  const int saved_;
};

}  // namespace jprof
