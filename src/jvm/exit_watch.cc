#include "jvm/exit_watch.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "jvm/libjvm.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

constexpr int kHookAttempts = 3;  // each attempt waits a moment while a library is being loaded
constexpr Nanos kBetweenLooks = kNanosPerSecond / 1000;

enum class Call : size_t { kExit, kExitAtOnce, kAbort, kFork, kExecve, kPosixSpawn, kWaitpid };
constexpr std::string_view kNames[] = {"exit",   "_exit",       "abort",  "fork",
                                       "execve", "posix_spawn", "waitpid"};

// The original functions. ExitWrappers::For stores an original (release) before the wrapper is put
// into a slot; the wrapper loads it (acquire).
std::array<std::atomic<void*>, std::size(kNames)> g_originals{};

// The warning of the current recording; nullptr while no ExitWatch is installed. A thread that
// announces an end increments g_waiting before it reads g_warning. The destructor of ExitWatch
// stores nullptr in g_warning before it reads g_waiting. All four operations are seq_cst, so that
// either the thread sees nullptr or the destructor sees the incremented count.
std::atomic<const std::string*> g_warning{nullptr};
std::atomic<uint32_t> g_waiting{0};
std::atomic<pid_t> g_process{0};  // relaxed: written before the wrappers are in the slots

// g_announced is the number of the last announcement: incremented with release by the thread that
// announces, loaded with acquire by the recorder. g_done is the number of the last announcement
// that the recorder has reported as done: stored with release by the recorder, loaded with acquire
// by the waiting threads. The announcing thread stores g_is_end before it increments g_announced.
// The recorder loads g_is_end after it has loaded g_announced.
std::atomic<uint32_t> g_announced{0};
std::atomic<uint32_t> g_done{0};
std::atomic<bool> g_is_end{false};           // seq_cst: OnCommandEnd
std::atomic<bool> g_vm_out_of_reach{false};  // stored with seq_cst, loaded with acquire

template <typename Function>
Function* Original(Call call) {
  return reinterpret_cast<Function*>(
      g_originals[static_cast<size_t>(call)].load(std::memory_order_acquire));
}

// True if the calling thread blocks all signals except those of errors. Such a thread is in a
// signal handler of HotSpot, or belongs to the agent. HotSpot's handlers block all signals and then
// unblock those of errors (jdk-17+35 src/hotspot/os/posix/signals_posix.cpp, set_signal_handler,
// unblock_error_signals). A thread of the VM outside of a handler leaves SIGTERM or SIGUSR2
// unblocked (hotspot_sigmask); SIGUSR2 is the signal by which HotSpot suspends threads.
bool BlocksAllSignals() {
  sigset_t mask;
  if (pthread_sigmask(SIG_SETMASK, nullptr, &mask) != 0) return true;
  for (const int signal : {SIGUSR2, SIGTERM, SIGPROF, SIGCHLD}) {
    if (sigismember(&mask, signal) == 0) return false;
  }
  return true;
}

bool IsWatching() {
  return g_warning.load(std::memory_order_seq_cst) != nullptr && !InForkedChild();
}

bool IsOwnProcess() { return getpid() == g_process.load(std::memory_order_relaxed); }

// Announces an end of the process if `is_end`, else a command. Waits until the recorder has
// reported the announcement as done. Returns false if the recorder takes longer than kPatience.
// Does nothing on a thread that blocks all signals.
bool AnnounceAndWait(bool is_end) {
  if (BlocksAllSignals()) return true;
  if (is_end) g_is_end.store(true, std::memory_order_seq_cst);
  g_vm_out_of_reach.store(true, std::memory_order_seq_cst);
  const uint32_t number = g_announced.fetch_add(1, std::memory_order_acq_rel) + 1;
  const Nanos deadline_ns = MonotonicNanos() + ExitWatch::kPatience;
  const auto is_done = [number] {
    return static_cast<int32_t>(g_done.load(std::memory_order_acquire) - number) >= 0;
  };
  while (!is_done() && IsWatching()) {
    if (MonotonicNanos() >= deadline_ns) return false;
    RawSleep(kBetweenLooks);
  }
  return true;
}

void OnEnd() {
  const ErrnoSaver errno_saver;
  if (InForkedChild() || !IsOwnProcess()) return;
  g_waiting.fetch_add(1, std::memory_order_seq_cst);
  const std::string* const warning = g_warning.load(std::memory_order_seq_cst);
  if (warning != nullptr && !AnnounceAndWait(true)) Log::Warn("%s", warning->c_str());
  // release: the thread's use of the warning happens before the destructor sees the decremented
  // count.
  g_waiting.fetch_sub(1, std::memory_order_release);
}

// Announces a command. The wrappers of fork and posix_spawn call this function before there is a
// child; the wrapper of execve calls it in a child of vfork, before the child executes `sh`. The
// caller is not counted in g_waiting: if a kill ended the child of vfork during the wait, the count
// would never return to zero.
void OnCommand() {
  const ErrnoSaver errno_saver;
  if (IsWatching()) static_cast<void>(AnnounceAndWait(false));
}

// Lets the recorder use the VM again, unless the end of the process has been announced. If an end
// is announced after the first read of g_is_end and before the store of false, the store overwrites
// the `true` of the announcement. So g_is_end is read again, and `true` is restored. These accesses
// and those of AnnounceAndWait are seq_cst, so that the last store is true if there is an end.
void OnCommandEnd() {
  if (g_is_end.load(std::memory_order_seq_cst)) return;
  g_vm_out_of_reach.store(false, std::memory_order_seq_cst);
  if (g_is_end.load(std::memory_order_seq_cst)) {
    g_vm_out_of_reach.store(true, std::memory_order_seq_cst);
  }
}

[[noreturn]] void ExitWrapper(int code) {
  OnEnd();
  Original<void(int)>(Call::kExit)(code);
  __builtin_unreachable();
}

[[noreturn]] void ExitAtOnceWrapper(int code) {
  OnEnd();
  Original<void(int)>(Call::kExitAtOnce)(code);
  __builtin_unreachable();
}

[[noreturn]] void AbortWrapper() {
  OnEnd();
  Original<void()>(Call::kAbort)();
  __builtin_unreachable();
}

pid_t ForkWrapper() {
  OnCommand();
  const pid_t child = Original<pid_t()>(Call::kFork)();
  if (child < 0) OnCommandEnd();
  return child;
}

int ExecveWrapper(const char* path, char* const* arguments, char* const* environment) {
  if (!IsOwnProcess()) OnCommand();
  return Original<decltype(execve)>(Call::kExecve)(path, arguments, environment);
}

int PosixSpawnWrapper(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* arguments,
                      char* const* environment) {
  OnCommand();
  const int code = Original<decltype(posix_spawn)>(Call::kPosixSpawn)(
      child, path, actions, attributes, arguments, environment);
  if (code != 0) OnCommandEnd();
  return code;
}

pid_t WaitpidWrapper(pid_t child, int* status, int options) {
  const pid_t ended = Original<decltype(waitpid)>(Call::kWaitpid)(child, status, options);
  if (ended > 0 || errno != EINTR) OnCommandEnd();
  return ended;
}

const std::array<void*, std::size(kNames)>& WrapperTable() {
  static const std::array<void*, std::size(kNames)> wrappers = {
      reinterpret_cast<void*>(&ExitWrapper),   reinterpret_cast<void*>(&ExitAtOnceWrapper),
      reinterpret_cast<void*>(&AbortWrapper),  reinterpret_cast<void*>(&ForkWrapper),
      reinterpret_cast<void*>(&ExecveWrapper), reinterpret_cast<void*>(&PosixSpawnWrapper),
      reinterpret_cast<void*>(&WaitpidWrapper)};
  return wrappers;
}

// Covers only the import slots of libjvm: an exit that the program itself calls is not announced.
class ExitWrappers final : public ImportWrappers {
 public:
  explicit ExitWrappers(const void* in_libjvm)
      : in_libjvm_(reinterpret_cast<uintptr_t>(in_libjvm)) {}

  std::span<const std::string_view> names() const override { return kNames; }

  bool Wants(const ImportSlot& slot) const override {
    return slot.object.begin <= in_libjvm_ && in_libjvm_ < slot.object.end;
  }

  // The first original of a name gets the wrapper; any other original of the name gets none.
  void* For(size_t name, void* original) override {
    void* held = nullptr;
    const bool is_first = g_originals[name].compare_exchange_strong(
        held, original, std::memory_order_release, std::memory_order_relaxed);
    return is_first || held == original ? WrapperTable()[name] : nullptr;
  }

  void* OriginalOf(const void* function) const override {
    for (size_t i = 0; i < std::size(kNames); ++i) {
      if (WrapperTable()[i] == function) return g_originals[i].load(std::memory_order_acquire);
    }
    return nullptr;
  }

 private:
  const uintptr_t in_libjvm_;
};

// The object is leaked on purpose: wrappers must live as long as the process (import_hook.h).
Result<ExitWrappers*> WrappersOfProcess() {
  static constinit ExitWrappers* wrappers = nullptr;
  if (wrappers != nullptr) return wrappers;
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  const void* const function = libjvm.value().Symbol("JNI_GetCreatedJavaVMs");
  if (function == nullptr) return Error("libjvm exports no JNI_GetCreatedJavaVMs");
  wrappers = new ExitWrappers(function);
  return wrappers;
}

}  // namespace

bool VmIsOutOfReach() { return g_vm_out_of_reach.load(std::memory_order_acquire); }

Result<std::unique_ptr<ExitWatch>> ExitWatch::Install(std::string warning) {
  const Result<ExitWrappers*> wrappers = WrappersOfProcess();
  if (!wrappers) return wrappers.error();
  std::unique_ptr<ExitWatch> watch(new ExitWatch(std::move(warning)));
  g_process.store(getpid(), std::memory_order_relaxed);
  // The previous recording may have stopped before it reported an announcement as done.
  g_done.store(g_announced.load(std::memory_order_relaxed), std::memory_order_relaxed);
  g_is_end.store(false, std::memory_order_relaxed);
  g_vm_out_of_reach.store(false, std::memory_order_release);
  g_warning.store(&watch->warning_, std::memory_order_seq_cst);
  watch->imports_ = ImportHook::Install(*wrappers.value());
  for (int attempt = 1; attempt < kHookAttempts && !watch->imports_->has_covered(); ++attempt) {
    watch->imports_->CoverNewLibraries();
  }
  if (!watch->imports_->has_covered()) return Error("libraries are being loaded all the time");
  if (watch->imports_->refused_slots() != 0) return Error("a slot of libjvm cannot be written");
  return watch;
}

ExitWatch::~ExitWatch() {
  imports_.reset();
  g_warning.store(nullptr, std::memory_order_seq_cst);
  while (g_waiting.load(std::memory_order_seq_cst) != 0) RawSleep(kBetweenLooks);
}

std::optional<uint32_t> ExitWatch::Announced() {
  const uint32_t announced = g_announced.load(std::memory_order_acquire);
  if (announced == g_done.load(std::memory_order_relaxed)) return std::nullopt;
  return announced;
}

bool ExitWatch::IsEnd() { return g_is_end.load(std::memory_order_relaxed); }

void ExitWatch::Report(uint32_t announcement) {
  g_done.store(announcement, std::memory_order_release);
}

}  // namespace jprof
