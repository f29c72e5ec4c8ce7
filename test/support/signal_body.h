// Runs a body as a profiling handler runs: inside a real signal, on a 16 KiB alternate stack whose
// end faults. Notices calls to functions that are forbidden in handlers, and changes of errno.
//
//   InSignal([&] { id = table.Put(stack); });
//   InSignal([&](void* ucontext) { ... });
//
// The signal is SIGUSR2, sent by the calling thread to itself: when InSignal returns, the body has
// run. Can be used on any number of threads at once, not from within a handler.
#pragma once

#include <memory>
#include <type_traits>

namespace jprof::test {

struct SignalBodyReport {
  const char* forbidden_call = nullptr;  // first forbidden call; nullptr if none
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
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));  // constness is in Plain
}

template <typename Body>
void InSignal(Body&& body) {
  ExpectSound(ReportOfSignal(body));
}

}  // namespace jprof::test
