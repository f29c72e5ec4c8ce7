// A preloaded clock_gettime with a lock around it, for which threads wait. If a wrapper of lock
// functions reads the clock, this calls the wrapper recursively.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace {

pthread_mutex_t g_clock = PTHREAD_MUTEX_INITIALIZER;
constexpr int kSpins = 2000;

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t id, timespec* time) {
  pthread_mutex_lock(&g_clock);
  for (int i = 0; i < kSpins; ++i) asm volatile("" ::: "memory");
  const long code = syscall(SYS_clock_gettime, id, time);
  pthread_mutex_unlock(&g_clock);
  return static_cast<int>(code);
}
