// A preloaded malloc that on request refuses memory to libprofiler.so, and only to it. Native half
// of test/java/workloads/ShortOfMemory.java.
#include <jni.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT: glibc's names
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT
}

namespace {

// All accesses are relaxed: no other data depends on these counts and addresses.
std::atomic<uintptr_t> g_agent_begin{0};
std::atomic<uintptr_t> g_agent_end{0};
std::atomic<long> g_left{LONG_MAX};
std::atomic<long> g_refused{0};

int FindAgent(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr || strstr(info->dlpi_name, "libprofiler.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    g_agent_begin.store(begin, std::memory_order_relaxed);
    g_agent_end.store(begin + header.p_memsz, std::memory_order_relaxed);
  }
  return 1;
}

bool IsRefused(const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (address < g_agent_begin.load(std::memory_order_relaxed) ||
      address >= g_agent_end.load(std::memory_order_relaxed)) {
    return false;
  }
  if (g_left.fetch_sub(1, std::memory_order_relaxed) > 0) return false;
  g_refused.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* malloc(size_t bytes) {
  if (!IsRefused(__builtin_return_address(0))) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

__attribute__((visibility("default"))) int posix_memalign(void** block, size_t alignment,
                                                          size_t bytes) {
  if (IsRefused(__builtin_return_address(0))) return ENOMEM;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

// Grants the agent's next `requests` requests, and refuses all after them.
JNIEXPORT void JNICALL Java_ShortOfMemory_grant(JNIEnv*, jclass, jlong requests) {
  dl_iterate_phdr(FindAgent, nullptr);
  g_refused.store(0, std::memory_order_relaxed);
  g_left.store(requests, std::memory_order_relaxed);
}

// Returns how many more requests will be granted.
JNIEXPORT jlong JNICALL Java_ShortOfMemory_left(JNIEnv*, jclass) {
  return g_left.load(std::memory_order_relaxed);
}

JNIEXPORT jlong JNICALL Java_ShortOfMemory_refused(JNIEnv*, jclass) {
  return g_refused.load(std::memory_order_relaxed);
}

}  // extern "C"
