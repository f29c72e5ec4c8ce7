// Libjvm: the JVM's own library in this process, and the symbols that it exports.
//
// Thread-safe. Called at start, on any thread outside signal handlers. Find opens a library only if
// it is loaded already; the destructor closes the handle. Addresses from Symbol stay valid, because
// a JVM is never unloaded.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace jprof {

class Libjvm {
 public:
  // Returns the loaded library with the file name libjvm.so, or an error if this process has no
  // JVM.
  static Result<Libjvm> Find();

  // Returns the address of an exported symbol; nullptr if the symbol is not exported.
  void* Symbol(const char* name) const;

  // Returns the path under which the dynamic linker loaded the library.
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
