// A preloaded malloc with a lock, like that of an allocator which holds its lock while it walks the
// loaded objects to record the stacks of its callers.
//
// Every walk of the profiler through the loaded objects meets this situation: before its first
// visit, a rival thread takes the lock of malloc and then waits for the lock of the dynamic linker.
// A visitor of the profiler that allocates or frees would now wait forever.
//
// With JPROF_MALLOC_IN_WALK=abort such a visitor aborts the process, with a message, before it
// waits.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT: glibc's names
void* __libc_calloc(size_t count, size_t bytes);        // NOLINT
void* __libc_realloc(void* block, size_t bytes);        // NOLINT
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT
void __libc_free(void* block);                          // NOLINT
}

namespace {

using Visitor = int (*)(dl_phdr_info*, size_t, void*);
using Walk = int (*)(Visitor, void*);

// All accesses are seq_cst, because nothing here has to be fast.
std::atomic<bool> g_locked{false};
std::atomic<long> g_meetings{0};

enum class Rival { kIdle, kCalled, kHoldsMalloc };
std::atomic<Rival> g_rival{Rival::kIdle};

Walk g_walk = nullptr;
bool g_aborts = false;
thread_local bool t_in_walk = false;  // true inside a visitor of the profiler

void Yield() {
  const int saved = errno;
  sched_yield();
  errno = saved;
}

class MallocLock {
 public:
  MallocLock() {
    if (t_in_walk && g_aborts) {
      static constexpr char kText[] = "locking_malloc: malloc or free inside a walk\n";
      static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
      abort();
    }
    while (g_locked.exchange(true)) Yield();
  }
  ~MallocLock() { g_locked.store(false); }
};

int VisitNone(dl_phdr_info*, size_t, void*) { return 0; }

void* RunRival(void*) {
  for (;;) {
    while (g_rival.load() != Rival::kCalled) usleep(50);
    {
      const MallocLock lock;
      g_rival.store(Rival::kHoldsMalloc);
      g_walk(VisitNone, nullptr);
    }
    g_meetings.fetch_add(1);
    g_rival.store(Rival::kIdle);
  }
}

bool IsOfTheProfiler(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr &&
         strstr(info.dli_fname, "libprofiler.so") != nullptr;
}

struct Visit {
  Visitor visitor;
  void* data;
};

// Lets the rival take the lock of malloc first, unless it is still busy with an earlier walk. Then
// calls the visitor.
int VisitWithRival(dl_phdr_info* info, size_t size, void* data) {
  Rival idle = Rival::kIdle;
  if (g_rival.compare_exchange_strong(idle, Rival::kCalled)) {
    while (g_rival.load() == Rival::kCalled) Yield();
  }
  const auto* const visit = static_cast<const Visit*>(data);
  t_in_walk = true;
  const int answer = visit->visitor(info, size, visit->data);
  t_in_walk = false;
  return answer;
}

__attribute__((constructor)) void Prepare() {
  const char* const wanted = getenv("JPROF_MALLOC_IN_WALK");
  g_aborts = wanted != nullptr && strcmp(wanted, "abort") == 0;
  g_walk = reinterpret_cast<Walk>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  pthread_t thread;
  if (pthread_create(&thread, nullptr, RunRival, nullptr) != 0) abort();
}

__attribute__((destructor)) void Report() {
  fprintf(stderr, "locking_malloc.meetings=%ld\n", g_meetings.load());
}

}  // namespace

#define PRELOADED extern "C" __attribute__((visibility("default")))

PRELOADED int dl_iterate_phdr(Visitor visitor, void* data) {
  if (g_walk == nullptr) return 0;  // called by the dynamic linker before our constructor
  if (t_in_walk || !IsOfTheProfiler(__builtin_return_address(0))) return g_walk(visitor, data);
  Visit visit{visitor, data};
  return g_walk(VisitWithRival, &visit);
}

PRELOADED void* malloc(size_t bytes) {
  const MallocLock lock;
  return __libc_malloc(bytes);
}

PRELOADED void* calloc(size_t count, size_t bytes) {
  const MallocLock lock;
  return __libc_calloc(count, bytes);
}

PRELOADED void* realloc(void* block, size_t bytes) {
  const MallocLock lock;
  return __libc_realloc(block, bytes);
}

PRELOADED int posix_memalign(void** block, size_t alignment, size_t bytes) {
  const MallocLock lock;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

PRELOADED void* aligned_alloc(size_t alignment, size_t bytes) {
  const MallocLock lock;
  return __libc_memalign(alignment, bytes);
}

PRELOADED void free(void* block) {
  const MallocLock lock;
  __libc_free(block);
}
