#include "support/single_step.h"

#include <signal.h>
#include <ucontext.h>
#include <x86intrin.h>

#include "sigsafe/base/types.h"
#include "sigsafe/os/registers.h"

namespace jprof::test {
namespace {

// NOLINTNEXTLINE(google-runtime-int): the intrinsic's type
constexpr unsigned long long kTrapFlag = 1 << 8;

struct Nested {
  StepBody body;
  void* argument;
  size_t calls;
  const ucontext_t* context;
};

// The state of the test that is stepping. Only one test steps at a time.
Nested* g_nested = nullptr;

void OnTrap(int, siginfo_t*, void* ucontext) {
  ++g_nested->calls;
  g_nested->context = static_cast<const ucontext_t*>(ucontext);
  g_nested->body(g_nested->argument);
}

}  // namespace

SteppedInstruction NextInstruction() {
  constexpr uint8_t kSyscall[2] = {0x0f, 0x05};
  const ucontext_t* context = g_nested->context;
  const auto* code = reinterpret_cast<const uint8_t*>(Value(ProgramCounter(context)));
  if (code[0] != kSyscall[0] || code[1] != kSyscall[1]) return {};
  return {context->uc_mcontext.gregs[REG_RAX],
          static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RDI])};
}

size_t StepThrough(StepBody body, void* body_argument, StepBody nested, void* nested_argument) {
  Nested call{nested, nested_argument, 0, nullptr};
  g_nested = &call;
  struct sigaction action = {};
  struct sigaction previous;
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &previous);
  __writeeflags(__readeflags() | kTrapFlag);
  body(body_argument);
  __writeeflags(__readeflags() & ~kTrapFlag);
  sigaction(SIGTRAP, &previous, nullptr);
  g_nested = nullptr;
  return call.calls;
}

}  // namespace jprof::test
