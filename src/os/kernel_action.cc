#include "os/kernel_action.h"

#include <dlfcn.h>

#include <cstring>

// NOLINTNEXTLINE(bugprone-reserved-identifier): what glibc (2.17 and later) exports it as
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* previous);

namespace jprof {
namespace {

Result<struct sigaction> Replace(int signal, const struct sigaction* action) {
  struct sigaction previous;
  if (__sigaction(signal, action, &previous) == 0) return previous;
  return Error::FromErrno("sigaction", strsignal(signal));
}

}  // namespace

Result<struct sigaction> KernelAction(int signal) { return Replace(signal, nullptr); }

Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action) {
  const Result<struct sigaction> replaced = Replace(signal, &action);
  if (!replaced) return replaced.error();
  if (IsSameAction(replaced.value(), expected)) return true;
  const Result<struct sigaction> put_back = Replace(signal, &replaced.value());
  if (!put_back) return put_back.error();
  return false;
}

// The kernel fills only the part of the mask that has signals.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other) {
  if (one.sa_sigaction != other.sa_sigaction || one.sa_flags != other.sa_flags) return false;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&one.sa_mask, signal) != sigismember(&other.sa_mask, signal)) return false;
  }
  return true;
}

// sa_handler and sa_sigaction share their storage.
std::string LibraryOf(const struct sigaction& action) {
  Dl_info info;
  const bool found = dladdr(reinterpret_cast<void*>(action.sa_sigaction), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "code of no library";
}

}  // namespace jprof
