// PthreadHook announces the threads that native code creates. For this it replaces pthread_create
// and thrd_create in import slots (ImportHook) by the functions of creation_wrappers.h.
//
// PthreadHook does not announce three sorts of threads: those whose creating call bypasses import
// slots (elf/import_hook.h), those that the C library creates for itself (timer_create with
// SIGEV_THREAD, aio, getaddrinfo_a), and those that are created by the system call clone.
//
// ThreadObservation calls Install and the destructor. At most one hook exists at a time.
#pragma once

#include <initializer_list>
#include <memory>

#include "base/result.h"
#include "elf/import_hook.h"
#include "threads/creation_wrappers.h"

namespace jprof {

class PthreadHook {
 public:
  // Installs the hook. `signals` are blocked in a new thread until the thread has been announced.
  // REQUIRES: `observer` outlives the hook.
  static Result<std::unique_ptr<PthreadHook>> Install(NativeThreadObserver* observer,
                                                      std::initializer_list<int> signals);

  // Removes the hook. Returns when no thread is inside a call to the observer. REQUIRES: the caller
  // holds no lock that the observer takes.
  ~PthreadHook();
  PthreadHook(const PthreadHook&) = delete;
  PthreadHook& operator=(const PthreadHook&) = delete;

  // Returns the hook of the import slots. ImportHook::CoverNewLibraries hooks libraries that were
  // loaded after Install.
  ImportHook& imports() { return *imports_; }

 private:
  explicit PthreadHook(std::unique_ptr<ImportHook> imports) : imports_(std::move(imports)) {}

  std::unique_ptr<ImportHook> imports_;
};

}  // namespace jprof
