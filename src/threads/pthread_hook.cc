#include "threads/pthread_hook.h"

#include <atomic>
#include <utility>

#include "threads/creation_wrappers.h"

namespace jprof {
namespace {

// True while a hook exists. The release store in the destructor pairs with the acq_rel exchange in
// Install: the import slots are restored before the next hook changes them.
std::atomic<bool> g_installed{false};

}  // namespace

Result<std::unique_ptr<PthreadHook>> PthreadHook::Install(NativeThreadObserver* observer,
                                                          std::initializer_list<int> signals) {
  const Result<CreationWrappers*> wrappers = CreationWrappers::OfProcess();
  if (!wrappers) return wrappers.error();
  if (g_installed.exchange(true, std::memory_order_acq_rel)) {
    return Error("pthread_create is hooked already: remove the first hook before a second");
  }
  CreationWrappers::StartObserving(observer, signals);
  return std::unique_ptr<PthreadHook>(new PthreadHook(ImportHook::Install(*wrappers.value())));
}

PthreadHook::~PthreadHook() {
  imports_.reset();
  CreationWrappers::StopObserving();
  g_installed.store(false, std::memory_order_release);
}

}  // namespace jprof
