// Native half of test/java/workloads/SignalChains.java: a library that has its own signal handlers,
// and causes faults.
#include <jni.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "elf/library_image.h"
#include "elf/library_map.h"
#include "native/burner.h"
#include "sigsafe/os/guarded_load.h"

namespace {

// The previous signal actions. They are never freed, because a thread might be calling one.
std::atomic<const struct sigaction*> g_previous[NSIG];
std::atomic<long> g_calls[NSIG];
std::atomic<uintptr_t> g_own_page{0};
thread_local sigjmp_buf g_out_of_own_fault;

void Forward(int signal, siginfo_t* info, void* ucontext) {
  const struct sigaction* const previous = g_previous[signal].load(std::memory_order_acquire);
  if ((previous->sa_flags & SA_SIGINFO) != 0) {
    previous->sa_sigaction(signal, info, ucontext);
  } else if (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
    previous->sa_handler(signal);
  } else if (signal == SIGSEGV || signal == SIGBUS) {
    sigaction(signal, previous, nullptr);  // on return the fault occurs again
  }
}

void Handle(int signal, siginfo_t* info, void* ucontext) {
  g_calls[signal].fetch_add(1, std::memory_order_relaxed);
  const uintptr_t own_page = g_own_page.load(std::memory_order_relaxed);
  if (own_page != 0 && reinterpret_cast<uintptr_t>(info->si_addr) == own_page) {
    siglongjmp(g_out_of_own_fault, 1);
  }
  Forward(signal, info, ucontext);
}

// The profiler's guarded load, which reads memory that might not be readable. It is found by its
// symbol.
using Load = jprof::GuardedWord (*)(uint64_t address);

Load FindGuardedLoad(std::string_view agent) {
  const jprof::LibraryMap map = jprof::LibraryMap::Snapshot();
  for (const jprof::Library& library : map.libraries()) {
    if (library.path != agent) continue;
    const auto image = jprof::OpenLibraryImage(library);
    if (!image.ok()) return nullptr;
    const Elf64_Shdr* const table = image.value().SectionOfType(SHT_SYMTAB);
    if (table == nullptr) return nullptr;
    const Elf64_Shdr* const strings = image.value().SectionAt(table->sh_link);
    std::vector<Elf64_Sym> symbols(table->sh_size / sizeof(Elf64_Sym));
    image.value().Read(*table, 0, symbols.data(), table->sh_size);
    for (const Elf64_Sym& symbol : symbols) {
      if (image.value().StringAt(*strings, symbol.st_name) != "JprofGuardedLoad8") continue;
      return reinterpret_cast<Load>(library.load_bias + symbol.st_value);
    }
  }
  return nullptr;
}

// Returns an address in the guard pages that HotSpot keeps at the end of a Java thread's stack. If
// the thread itself faults there, HotSpot takes it for a stack overflow.
uintptr_t InGuardZone() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(low) + 6144;
}

bool Fault(uintptr_t address) {
  if (sigsetjmp(g_out_of_own_fault, 1) != 0) return true;
  *reinterpret_cast<volatile int*>(address) = 1;
  return false;
}

}  // namespace

extern "C" {

// Installs the library's handler in front of the current one. Does nothing if the current one is
// the library's.
JNIEXPORT void JNICALL Java_SignalChains_come(JNIEnv*, jclass, jint signal) {
  auto* const previous = new struct sigaction;
  sigaction(signal, nullptr, previous);
  if (previous->sa_sigaction == Handle) {
    delete previous;
    return;
  }
  g_previous[signal].store(previous, std::memory_order_release);
  struct sigaction own = *previous;
  own.sa_sigaction = Handle;
  own.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(signal, &own, nullptr);
}

JNIEXPORT void JNICALL Java_SignalChains_leave(JNIEnv*, jclass, jint signal) {
  sigaction(signal, g_previous[signal].load(), nullptr);
}

JNIEXPORT jlong JNICALL Java_SignalChains_calls(JNIEnv*, jclass, jint signal) {
  return g_calls[signal].load();
}

JNIEXPORT void JNICALL Java_SignalChains_raise(JNIEnv*, jclass, jint signal) { raise(signal); }

// Causes `count` faults on a page of the library. Returns how many of them have reached the
// library's handler.
JNIEXPORT jint JNICALL Java_SignalChains_faultOnPurpose(JNIEnv*, jclass, jint count) {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) abort();
  g_own_page.store(reinterpret_cast<uintptr_t>(page));
  jint reached = 0;
  for (jint i = 0; i < count; ++i) reached += Fault(reinterpret_cast<uintptr_t>(page)) ? 1 : 0;
  g_own_page.store(0);
  munmap(page, 4096);
  return reached;
}

// Makes `count` guarded loads of bad addresses. Returns how many of them reported that the address
// is not readable.
JNIEXPORT jint JNICALL Java_SignalChains_loadBadAddresses(JNIEnv* jni, jclass, jstring agent,
                                                          jint count) {
  const Load load = FindGuardedLoad(jprof::test::TextOf(jni, agent));
  if (load == nullptr) return -1;
  const uintptr_t bad[] = {8, InGuardZone(), uintptr_t{1} << 63, ~uintptr_t{0} - 7};
  jint unreadable = 0;
  for (jint i = 0; i < count; ++i) unreadable += load(bad[i % 4]).readable == 0 ? 1 : 0;
  return unreadable;
}

// Returns when a handler is installed that is neither the library's own nor the one that it
// replaced.
JNIEXPORT void JNICALL Java_SignalChains_awaitAnother(JNIEnv*, jclass, jint signal) {
  struct sigaction now;
  do {
    usleep(1000);
    sigaction(signal, nullptr, &now);
  } while (now.sa_sigaction == Handle ||
           now.sa_sigaction == g_previous[signal].load()->sa_sigaction);
}

JNIEXPORT void JNICALL Java_SignalChains_crash(JNIEnv*, jclass) {
  *reinterpret_cast<volatile int*>(uintptr_t{8}) = 1;
}

}  // extern "C"
