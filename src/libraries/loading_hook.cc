#include "libraries/loading_hook.h"

#include <utility>

#include "libraries/library_log.h"

namespace jprof {

LoadingHook& LoadingHook::OfProcess() {
  static auto* const hook = new LoadingHook;
  return *hook;
}

// Installs the hook without holding our lock: Install takes the dynamic linker's lock, and a
// library's constructor, which runs under that lock, might need ours.
void LoadingHook::Begin(const LoadingListener& listener) {
  LibraryLog::OfProcess().Open();
  LoadingWrappers::Tell(listener);
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
  LoadingWrappers::Tell({});
  LibraryLog::OfProcess().Close();
}

void LoadingHook::CoverNewLibraries() {
  const std::lock_guard lock(mutex_);
  if (imports_ != nullptr) imports_->CoverNewLibraries();
}

}  // namespace jprof
