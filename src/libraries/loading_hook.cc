#include "libraries/loading_hook.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <utility>

#include "libraries/library_log.h"
#include "sigsafe/base/errno_saver.h"

// The originals of the wrappers of dlopen. LoadingWrappers::For stores an original with release
// before it returns the original's wrapper. The functions For and OriginalOf load originals with
// acquire. The wrapper, which is in assembly, loads its original without ordering, because no slot
// contains the wrapper before For() has returned it.
extern "C" {
__attribute__((visibility("hidden"), used)) std::atomic<void*>
    JprofDlopenOriginals[jprof::LoadingWrappers::kMaxOriginals];

// The wrappers of dlopen, in dlopen_jump_x64.cc and dlopen_jump_aarch64.cc.
__attribute__((visibility("hidden"))) void JprofDlopen0();
__attribute__((visibility("hidden"))) void JprofDlopen1();
__attribute__((visibility("hidden"))) void JprofDlopen2();
__attribute__((visibility("hidden"))) void JprofDlopen3();

// The wrappers of dlopen call this function with their arguments.
__attribute__((visibility("hidden"))) void JprofBeforeDlopen(const char* path, int flags);
}

namespace jprof {
namespace {

static_assert(sizeof(std::atomic<void*>) == sizeof(void*), "the wrappers jump through it");

using Functions = std::array<void*, LoadingWrappers::kMaxOriginals>;
using Dlclose = int (*)(void*);

std::atomic<void*> g_dlclose_originals[LoadingWrappers::kMaxOriginals];

// The functions of the listener. Relaxed order is enough: the functions are in our library, which
// is never unloaded.
std::atomic<void (*)()> g_before_load{nullptr};
std::atomic<void (*)()> g_after_unload{nullptr};

void CallIfSet(const std::atomic<void (*)()>& function) {
  const ErrnoSaver errno_saver;
  if (const auto call = function.load(std::memory_order_relaxed)) call();
}

std::atomic<void*>* OriginalsOf(size_t call) {
  return LoadingCall{call} == LoadingCall::kDlopen ? JprofDlopenOriginals : g_dlclose_originals;
}

template <size_t kIndex>
int DlcloseWrapper(void* handle) {
  LibraryLog& log = LibraryLog::OfProcess();
  log.Look();
  const auto original =
      reinterpret_cast<Dlclose>(g_dlclose_originals[kIndex].load(std::memory_order_acquire));
  const int code = original(handle);
  if (log.Look()) CallIfSet(g_after_unload);
  return code;
}

template <size_t... kIndex>
Functions AllDlclose(std::index_sequence<kIndex...>) {
  return {reinterpret_cast<void*>(&DlcloseWrapper<kIndex>)...};
}

const Functions& WrappersOf(size_t call) {
  static const Functions dlopen = {
      reinterpret_cast<void*>(&JprofDlopen0), reinterpret_cast<void*>(&JprofDlopen1),
      reinterpret_cast<void*>(&JprofDlopen2), reinterpret_cast<void*>(&JprofDlopen3)};
  static const Functions dlclose =
      AllDlclose(std::make_index_sequence<LoadingWrappers::kMaxOriginals>());
  return LoadingCall{call} == LoadingCall::kDlopen ? dlopen : dlclose;
}

}  // namespace

LoadingWrappers& LoadingWrappers::OfProcess() {
  static auto* const wrappers = new LoadingWrappers;
  LibraryLog::OfProcess();  // creates the log here and not in the first wrapper that runs
  return *wrappers;
}

void LoadingWrappers::SetListener(const LoadingListener& listener) {
  g_before_load.store(listener.before_load, std::memory_order_relaxed);
  g_after_unload.store(listener.after_unload, std::memory_order_relaxed);
}

void LoadingWrappers::NotifyLoad() { CallIfSet(g_before_load); }

void* LoadingWrappers::For(size_t call, void* original) {
  std::atomic<void*>* const originals = OriginalsOf(call);
  for (size_t i = 0; i < kMaxOriginals; ++i) {
    void* const held = originals[i].load(std::memory_order_acquire);
    if (held == nullptr) originals[i].store(original, std::memory_order_release);
    if (held == nullptr || held == original) return WrappersOf(call)[i];
  }
  return nullptr;
}

void* LoadingWrappers::OriginalOf(const void* function) const {
  for (size_t call = 0; call < kLoadingCallCount; ++call) {
    for (size_t i = 0; i < kMaxOriginals; ++i) {
      if (WrappersOf(call)[i] != function) continue;
      return OriginalsOf(call)[i].load(std::memory_order_acquire);
    }
  }
  return nullptr;
}

LoadingHook& LoadingHook::OfProcess() {
  static auto* const hook = new LoadingHook;
  return *hook;
}

// Installs the hook without holding mutex_: Install takes the dynamic linker's lock, and a
// library's constructor, which runs under that lock, might need mutex_.
void LoadingHook::Begin(const LoadingListener& listener) {
  LibraryLog::OfProcess().Open();
  LoadingWrappers::SetListener(listener);
  std::unique_ptr<ImportHook> imports = ImportHook::Install(LoadingWrappers::OfProcess());
  const std::lock_guard lock(mutex_);
  imports_ = std::move(imports);
}

void LoadingHook::End() {
  std::unique_ptr<ImportHook> imports;
  {
    const std::lock_guard lock(mutex_);
    imports = std::move(imports_);
  }
  imports.reset();
  LoadingWrappers::SetListener({});
  LibraryLog::OfProcess().Close();
}

void LoadingHook::CoverNewLibraries() {
  const std::lock_guard lock(mutex_);
  if (imports_ != nullptr) imports_->CoverNewLibraries();
}

}  // namespace jprof

// Does nothing for RTLD_NOLOAD: a library that is only looked up is loaded already.
extern "C" __attribute__((used)) void JprofBeforeDlopen(const char* path, int flags) {
  if ((flags & RTLD_NOLOAD) != 0) return;
  jprof::LibraryLog::OfProcess().KeepFile(path);
  jprof::LoadingWrappers::NotifyLoad();
}
