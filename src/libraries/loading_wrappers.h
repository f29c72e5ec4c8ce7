// LoadingWrappers: functions that replace dlopen and dlclose in import slots.
//
//   dlopen:  caller ─▶ wrapper: LibraryLog::KeepFile ─(jump)─▶ original ─▶ caller
//   dlclose: caller ─▶ wrapper: LibraryLog::Look ─▶ original ─▶ Look ─▶ caller
//
// dlopen searches by the run path and in the namespace of its caller, which it knows by its return
// address (glibc 2.36, dlfcn/dlopen.c). So its wrapper does not call the original but jumps to it:
// nothing of the profiler runs afterwards. A library that a look before dlclose sees was loaded
// since the look before that, when nobody was at its address.
//
// Wrappers run inside the program's calls, under any of its locks (library_log.h). Process-wide and
// permanent, as CreationWrappers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "elf/import_hook.h"

namespace jprof {

enum class LoadingCall : size_t { kDlopen, kDlclose };
inline constexpr std::string_view kLoadingCallNames[] = {"dlopen", "dlclose"};
inline constexpr size_t kLoadingCallCount = 2;

// Called on the program's threads, where the rules of library_log.h hold.
struct LoadingListener {
  void (*before_load)() = nullptr;   // before each dlopen that may load something
  void (*after_unload)() = nullptr;  // after each dlclose that may have unloaded something
};

class LoadingWrappers final : public ImportWrappers {
 public:
  // The most distinct originals of each call: as many as dlopen_jump has wrappers. One is usual;
  // the hook of another tool adds one.
  static constexpr size_t kMaxOriginals = 4;

  // The instance of the process. One thread at a time.
  static LoadingWrappers& OfProcess();

  // Sets what is called from now on; {}: nothing is.
  static void Tell(const LoadingListener& listener);

  // Calls before_load, if it is set. Any thread.
  static void TellOfLoad();

  // ImportWrappers, where a call is a LoadingCall.
  std::span<const std::string_view> names() const override { return kLoadingCallNames; }
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

 private:
  LoadingWrappers() = default;
};

}  // namespace jprof
