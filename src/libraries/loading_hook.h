// LoadingHook: records the program's calls to dlopen and dlclose in LibraryLog, by an ImportHook
// (loading_wrappers.h).
//
// It does not see calls that bypass import slots (elf/import_hook.h), and libraries that the C
// library loads for itself. The sampler calls Begin and End in turn. Not for signal handlers.
#pragma once

#include <memory>
#include <mutex>

#include "elf/import_hook.h"
#include "jvm/jvm_events.h"
#include "libraries/loading_wrappers.h"

namespace jprof {

class LoadingHook final : public JvmEventListener {
 public:
  // Returns the instance of the process. It is never destroyed: an event of the JVM can come late.
  static LoadingHook& OfProcess();

  // Hooks all loaded libraries. `listener` is called for the program's calls
  // (LoadingWrappers::Tell), and when native methods are bound: their library might just have been
  // loaded without our notice.
  void Begin(const LoadingListener& listener);

  // Restores the slots that Begin and CoverNewLibraries have changed. A thread might still be
  // inside a wrapper.
  void End();

  // Hooks libraries that were loaded since the last call; does nothing unless between Begin and
  // End. Callable on any thread.
  void CoverNewLibraries();

  // Hooks the library of a native method when the JVM binds the method, and so before the method
  // can load other libraries.
  void OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) override {
    CoverNewLibraries();
    LoadingWrappers::NotifyLoad();
  }

 private:
  LoadingHook() = default;

  std::mutex mutex_;
  std::unique_ptr<ImportHook> imports_;  // guarded by mutex_; nullptr: not between Begin and End
};

}  // namespace jprof
