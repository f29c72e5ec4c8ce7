// A visitor of dl_iterate_phdr that must not be accepted: it allocates and waits for a lock.
#include <link.h>
#include <pthread.h>

#include <cstdlib>

void* Walk(pthread_mutex_t* lock);
void* Walk(pthread_mutex_t* lock) {
  void* block = nullptr;
  pthread_mutex_lock(lock);
  dl_iterate_phdr(
      [](dl_phdr_info*, size_t, void* out) {
        *static_cast<void**>(out) = malloc(1);
        return 1;
      },
      &block);
  return block;
}
