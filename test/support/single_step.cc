#include "support/single_step.h"

#include <signal.h>
#include <x86intrin.h>

namespace jprof::test {
namespace {

constexpr unsigned long long kTrapFlag = 1
                                         << 8;  // NOLINT(google-runtime-int): the intrinsic's type

struct Nested {
  StepBody body;
  void* argument;
  size_t calls;
};

// One test steps at a time.
Nested* g_nested = nullptr;

void OnTrap(int) {
  ++g_nested->calls;
  g_nested->body(g_nested->argument);
}

}  // namespace

size_t StepThrough(StepBody body, void* body_argument, StepBody nested, void* nested_argument) {
  Nested call{nested, nested_argument, 0};
  g_nested = &call;
  struct sigaction action = {};
  struct sigaction previous;
  action.sa_handler = OnTrap;
  sigaction(SIGTRAP, &action, &previous);
  __writeeflags(__readeflags() | kTrapFlag);
  body(body_argument);
  __writeeflags(__readeflags() & ~kTrapFlag);
  sigaction(SIGTRAP, &previous, nullptr);
  g_nested = nullptr;
  return call.calls;
}

}  // namespace jprof::test
