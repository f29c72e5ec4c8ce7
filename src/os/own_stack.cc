#include "os/own_stack.h"

#include <pthread.h>
#include <unistd.h>

#include <cstddef>

#include "sigsafe/os/thread_id.h"

namespace jprof {

namespace {

StackBounds Ask() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto address = reinterpret_cast<uintptr_t>(low);
  return {address, address + size};
}

}  // namespace

StackBounds OwnStackBounds() {
  if (CurrentTid() != Tid{getpid()}) return Ask();
  static const StackBounds of_first_thread = Ask();
  return of_first_thread;
}

}  // namespace jprof
