// LoadingHook: has LibraryLog know of the dlopen and dlclose of the program, by an ImportHook
// (loading_wrappers.h).
//
// Not seen: calls that bypass import slots (elf/import_hook.h), and libraries that the C library
// loads for itself. Begin and End: the sampler, in turn. Not for handlers.
#pragma once

#include <memory>
#include <mutex>

#include "elf/import_hook.h"
#include "jvm/jvm_events.h"
#include "libraries/loading_wrappers.h"

namespace jprof {

class LoadingHook final : public JvmEventListener {
 public:
  // The instance of the process. Never destroyed: an event of the JVM may come late.
  static LoadingHook& OfProcess();

  // Hooks all loaded libraries. `listener` is told of the program's calls (LoadingWrappers::Tell),
  // and where native methods are bound: their library has just been loaded, perhaps unseen.
  void Begin(const LoadingListener& listener);

  // Restores what Begin and CoverNewLibraries have changed. A thread may still be inside a wrapper.
  void End();

  // Between Begin and End hooks libraries that were loaded since the last call. Any thread.
  void CoverNewLibraries();

  // A library has native methods bound before these load other libraries.
  void OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) override {
    CoverNewLibraries();
    LoadingWrappers::TellOfLoad();
  }

 private:
  LoadingHook() = default;

  std::mutex mutex_;
  std::unique_ptr<ImportHook> imports_;  // guarded by mutex_; nullptr: not between Begin and End
};

}  // namespace jprof
