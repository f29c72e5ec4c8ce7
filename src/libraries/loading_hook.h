// LoadingHook records the program's calls to dlopen and dlclose in LibraryLog. Its ImportHook puts
// LoadingWrappers, functions that replace dlopen and dlclose, into import slots:
//
//   dlopen:  caller ─▶ wrapper: LibraryLog::KeepFile ─(jump)─▶ original ─▶ caller
//   dlclose: caller ─▶ wrapper: LibraryLog::Look ─▶ original ─▶ Look ─▶ caller
//
// dlopen identifies its caller by the return address, and searches by the run path and in the
// namespace of this caller (glibc 2.36, dlfcn/dlopen.c). So the wrapper of dlopen does not call the
// original but jumps to it, and no code of the profiler runs after the loading. The look before a
// dlclose makes up for this: a library that is new in this look was loaded after the previous look,
// and no other library has been at its address between the two looks.
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

// Functions that the wrappers call on the program's threads. They must follow the rules for
// LibraryLog::Look (library_log.h).
struct LoadingListener {
  void (*before_load)() = nullptr;   // before a dlopen that can load a library
  void (*after_unload)() = nullptr;  // after a dlclose that might have unloaded a library
};

// Provides the wrappers. A wrapper runs inside a call of the program, on a thread that might hold
// any of the program's locks (library_log.h). There is one LoadingWrappers per process; it is never
// destroyed.
class LoadingWrappers final : public ImportWrappers {
 public:
  // The maximum number of distinct originals of dlopen; also the maximum number of those of dlclose.
  // dlopen_jump_*.cc has as many wrappers. Usually there is one original; the hook of another tool
  // adds one.
  static constexpr size_t kMaxOriginals = 4;

  // Returns the instance of the process. Called by one thread at a time.
  static LoadingWrappers& OfProcess();

  // Sets the functions that the wrappers call from now on. An empty LoadingListener sets none.
  static void SetListener(const LoadingListener& listener);

  // Calls before_load, if it is set. Callable on any thread.
  static void NotifyLoad();

  // The indexes of the names are the values of LoadingCall; `call` is one of them.
  std::span<const std::string_view> names() const override { return kLoadingCallNames; }
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

 private:
  LoadingWrappers() = default;
};

// Installs the wrappers. Two kinds of loading are not seen: calls that bypass import slots
// (elf/import_hook.h), and libraries that the C library loads for itself. The sampler calls Begin
// and End in turn. Not for signal handlers.
class LoadingHook final : public JvmEventListener {
 public:
  // Returns the instance of the process. It is never destroyed: the JVM can send an event late.
  static LoadingHook& OfProcess();

  // Hooks all loaded libraries, and passes `listener` to the wrappers. When the JVM binds a native
  // method, before_load of the listener is called, too: the method's library might just have been
  // loaded by a call that the wrappers did not see.
  void Begin(const LoadingListener& listener);

  // Restores the slots that Begin and CoverNewLibraries have changed. A thread might still be
  // inside a wrapper.
  void End();

  // Hooks libraries that were loaded since the last call. Works only between Begin and End; does
  // nothing at other times. Callable on any thread.
  void CoverNewLibraries();

  // Called when the JVM binds a native method. Hooks the method's library before the method can
  // load other libraries.
  void OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) override {
    CoverNewLibraries();
    LoadingWrappers::NotifyLoad();
  }

 private:
  LoadingHook() = default;

  std::mutex mutex_;
  std::unique_ptr<ImportHook> imports_;  // guarded by mutex_; nullptr unless between Begin and End
};

}  // namespace jprof
