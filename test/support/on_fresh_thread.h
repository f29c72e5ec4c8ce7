// OnFreshThread: runs a body on a new thread, which the profiler has never seen, and waits for its
// end.
#pragma once

#include <thread>
#include <utility>

namespace jprof::test {

template <typename Body>
void OnFreshThread(Body&& body) {
  std::thread(std::forward<Body>(body)).join();
}

}  // namespace jprof::test
