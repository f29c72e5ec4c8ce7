#include "os/own_stack.h"

#include <pthread.h>

#include <cstddef>

namespace jprof {

StackBounds OwnStackBounds() {
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

}  // namespace jprof
