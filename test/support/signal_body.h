// InSignal runs a body as a profiling handler runs: in a real signal, on a 16 KiB alternate stack
// that ends at an inaccessible page. It notices calls to functions that are forbidden in handlers,
// and changes of errno.
//
//   InSignal([&] { id = table.Put(stack); });
//   InSignal([&](void* ucontext) { ... });
//
// The signal is SIGUSR2, which the calling thread sends to itself. InSignal returns after the body
// has run. Any number of threads can use it at the same time, but handlers cannot.
#pragma once

#include <memory>
#include <type_traits>

namespace jprof::test {

struct SignalBodyReport {
  const char* forbidden_call = nullptr;  // first forbidden call; nullptr if there was none
  bool errno_kept = false;
  bool on_alternate_stack = false;
};

using SignalBody = void (*)(void* argument, void* ucontext);

SignalBodyReport RunInSignal(SignalBody body, void* argument);

// Fails the running test if the body did what a handler must not do.
void ExpectSound(const SignalBodyReport& report);

template <typename Body>
SignalBodyReport ReportOfSignal(Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  return RunInSignal(
      [](void* argument, void* ucontext) {
        Plain& call = *static_cast<Plain*>(argument);
        if constexpr (std::is_invocable_v<Plain&, void*>) {
          call(ucontext);
        } else {
          static_cast<void>(ucontext);
          call();
        }
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));  // Plain restores a const
}

template <typename Body>
void InSignal(Body&& body) {
  ExpectSound(ReportOfSignal(body));
}

}  // namespace jprof::test
