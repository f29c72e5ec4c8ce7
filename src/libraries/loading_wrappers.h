// LoadingWrappers: functions that replace dlopen and dlclose in import slots.
//
//   dlopen:  caller ─▶ wrapper: LibraryLog::KeepFile ─(jump)─▶ original ─▶ caller
//   dlclose: caller ─▶ wrapper: LibraryLog::Look ─▶ original ─▶ Look ─▶ caller
//
// dlopen searches by the run path and in the namespace of its caller, which it identifies by the
// return address (glibc 2.36, dlfcn/dlopen.c). So its wrapper does not call the original but jumps
// to it, and no code of the profiler runs after the loading. The look before a dlclose makes up for
// this: a library that it shows for the first time was loaded since the previous look, at an
// address where no other library has been since.
//
// Wrappers run inside the program's calls, under any of its locks (library_log.h). They are
// process-wide and permanent, like CreationWrappers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "elf/import_hook.h"

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

}  // namespace jprof
