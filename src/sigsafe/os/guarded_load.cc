#include "sigsafe/os/guarded_load.h"

#include <ucontext.h>

#include "sigsafe/os/registers.h"

extern "C" void JprofGuardedLoadFailed();

namespace jprof {
namespace {

template <typename Function>
uint64_t AddressOf(Function function) {
  return reinterpret_cast<uint64_t>(function);
}

}  // namespace

bool RecoverGuardedLoad(void* ucontext) {
  auto* context = static_cast<ucontext_t*>(ucontext);
  const uint64_t pc = Value(ProgramCounter(context));
  // The load is the first instruction of each function.
  if (pc != AddressOf(JprofGuardedLoad8) && pc != AddressOf(JprofGuardedLoad4) &&
      pc != AddressOf(JprofGuardedLoad1) && pc != AddressOf(JprofGuardedLoad2)) {
    return false;
  }
  SetProgramCounter(context, Pc{AddressOf(JprofGuardedLoadFailed)});
  return true;
}

}  // namespace jprof
