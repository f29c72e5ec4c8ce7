// LoadingHook records the program's calls to dlopen and dlclose in LibraryLog. Its ImportHook puts
// LoadingWrappers, functions that replace dlopen and dlclose, into import slots:
//
//   dlopen:  caller ─▶ wrapper: LibraryLog::KeepFile ─(jump)─▶ original ─▶ caller
//   dlclose: caller ─▶ wrapper: LibraryLog::Look ─▶ original ─▶ Look ─▶ caller
//
// dlopen searches by the run path and in the namespace of its caller, which it identifies by the
// return address (glibc 2.36, dlfcn/dlopen.c). So its wrapper does not call the original but jumps
// to it, and no code of the profiler runs after the loading. The look before a dlclose makes up for
// this: a library that it shows for the first time was loaded since the previous look, at an
// address where no other library has been since.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "elf/import_hook.h"
#include "jvm/jvm_events.h"

namespace jprof {

enum class LoadingCall : size_t { kDlopen, kDlclose };
inline constexpr std::string_view kLoadingCallNames[] = {"dlopen", "dlclose"};
inline constexpr size_t kLoadingCallCount = 2;

// The functions that the wrappers call, on the program's threads, where the rules of library_log.h
// hold.
struct LoadingListener {
  void (*before_load)() = nullptr;   // called before each dlopen that can load a library
  void (*after_unload)() = nullptr;  // called after each dlclose that might have unloaded a library
};

// The wrappers run inside the program's calls, under any of its locks (library_log.h). They are
// process-wide and permanent, like CreationWrappers.
class LoadingWrappers final : public ImportWrappers {
 public:
  // The most distinct originals of each call: as many as dlopen_jump has wrappers. One is usual;
  // the hook of another tool adds one.
  static constexpr size_t kMaxOriginals = 4;

  // Returns the instance of the process. Called by one thread at a time.
  static LoadingWrappers& OfProcess();

  // Sets the functions that are called from now on; {}: none.
  static void Tell(const LoadingListener& listener);

  // Calls before_load, if it is set. Callable on any thread.
  static void NotifyLoad();

  // These override ImportWrappers; `call` is a LoadingCall, the index of its name.
  std::span<const std::string_view> names() const override { return kLoadingCallNames; }
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

 private:
  LoadingWrappers() = default;
};

// Does not see calls that bypass import slots (elf/import_hook.h), and libraries that the C library
// loads for itself. The sampler calls Begin and End in turn. Not for signal handlers.
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
