// Libjvm: the JVM's own library in this process, and the symbols that it exports.
//
// Called at start, on any thread outside handlers. Thread-safe. It opens nothing that is not
// already loaded, and closes its handle when it goes: addresses it returned stay valid, because a
// JVM is never unloaded.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace jprof {

class Libjvm {
 public:
  // The loaded object of the file libjvm.so. An error if this process has no JVM.
  static Result<Libjvm> Find();

  // nullptr if the symbol is not exported.
  void* Symbol(const char* name) const;

  // As the dynamic linker names it.
  const std::string& path() const { return path_; }

 private:
  struct CloseHandle {
    void operator()(void* handle) const;
  };
  using Handle = std::unique_ptr<void, CloseHandle>;

  Libjvm(Handle handle, std::string path) : handle_(std::move(handle)), path_(std::move(path)) {}

  Handle handle_;
  std::string path_;
};

}  // namespace jprof
