// A preloaded malloc with a lock around it. A thread that allocates while it holds this lock waits
// for itself forever.
#include <pthread.h>

#include <cstddef>

extern "C" {

void* __libc_malloc(size_t size);
void __libc_free(void* block);

static pthread_mutex_t g_heap = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) void* malloc(size_t size) {
  pthread_mutex_lock(&g_heap);
  void* const block = __libc_malloc(size);
  pthread_mutex_unlock(&g_heap);
  return block;
}

__attribute__((visibility("default"))) void free(void* block) {
  pthread_mutex_lock(&g_heap);
  __libc_free(block);
  pthread_mutex_unlock(&g_heap);
}

}  // extern "C"
