// A preloaded library that makes HotSpot's own AsyncGetCallTrace crash, by an array for the frames
// that cannot be written, or changes its result.
//
// JPROF_AGCT_DEATHS has the number of JVMs that die, the place of the call, the number of frames of
// the stack at which a call crashes, and a file. The place is `signal`, `entry` (of a method), or
// `kill`: at a signal, the process kills itself instead. Before the end, the file gets a line with
// the interrupted pc (hexadecimal), the thread and the process.
//
// At the place `swap`, also at signals, no JVM dies. Instead, each such call swaps the two innermost
// frames.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace {

struct Frame {
  int32_t bci;
  void* method;
};
struct Trace {
  void* env;
  int32_t count;
  Frame* frames;
};
using Agct = void (*)(Trace*, int32_t, void*);

Agct g_agct = nullptr;
Frame* g_unwritable = nullptr;
int g_deaths = 0;
bool g_at_signal = true;
bool g_kills = false;
bool g_swaps = false;
int g_frames = 0;
char g_file[4096];

// True if fewer JVMs have died than shall die.
bool IsWanted() {
  char text[4096];
  const int file = open(g_file, O_RDONLY | O_CLOEXEC);
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  int lines = 0;
  for (ssize_t i = 0; i < size; ++i) lines += text[i] == '\n' ? 1 : 0;
  return lines < g_deaths;
}

// True in a handler of the agent, which blocks the signals of all engines. At the entry of a method,
// the agent calls without a signal.
bool IsInHandler() {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGVTALRM) == 1 && sigismember(&blocked, SIGPWR) == 1;
}

uint64_t InterruptedPc(const void* context) {
#ifdef __x86_64__
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
#else
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#endif
}

void WriteTruth(uint64_t pc) {
  char line[128];
  const int size = snprintf(line, sizeof line, "%lx %ld %d\n", static_cast<unsigned long>(pc),
                            syscall(SYS_gettid), getpid());
  const int file = open(g_file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (write(file, line, static_cast<size_t>(size)) != size) abort();
  close(file);
}

void DeadlyAgct(Trace* trace, int32_t depth, void* context) {
  g_agct(trace, depth, context);
  const uint64_t pc = InterruptedPc(context);
  if (IsInHandler() != g_at_signal || trace->count != g_frames) return;
  if (g_swaps) {
    WriteTruth(pc);
    std::swap(trace->frames[0], trace->frames[1]);
    return;
  }
  if (!IsWanted()) return;
  WriteTruth(pc);
  if (g_kills) kill(getpid(), SIGKILL);
  trace->frames = g_unwritable;
  g_agct(trace, depth, context);
}

void* RealDlsym(void* handle, const char* name) {
  using Function = void* (*)(void*, const char*);
  static const auto function = [] {
    void* found = nullptr;
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
      if (found == nullptr) found = dlvsym(RTLD_NEXT, "dlsym", version);
    }
    return reinterpret_cast<Function>(found);
  }();
  return function(handle, name);
}

void Prepare(const char* setting) {
  char place[16];
  if (sscanf(setting, "%d %15s %d %4095s", &g_deaths, place, &g_frames, g_file) != 4) abort();
  g_at_signal = strcmp(place, "entry") != 0;
  g_kills = strcmp(place, "kill") == 0;
  g_swaps = strcmp(place, "swap") == 0;
  close(open(g_file, O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  constexpr size_t kBytes = 1 << 16;
  g_unwritable =
      static_cast<Frame*>(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) {
  void* const found = RealDlsym(handle, name);
  const char* const setting = getenv("JPROF_AGCT_DEATHS");
  if (setting == nullptr || found == nullptr || strcmp(name, "AsyncGetCallTrace") != 0) {
    return found;
  }
  if (g_agct == nullptr) Prepare(setting);
  g_agct = reinterpret_cast<Agct>(found);
  return reinterpret_cast<void*>(DeadlyAgct);
}
