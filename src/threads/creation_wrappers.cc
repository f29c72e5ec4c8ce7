#include "threads/creation_wrappers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

using PthreadCreate = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using ThrdCreate = int (*)(thrd_t*, thrd_start_t, void*);
using AttributeMask = int (*)(const pthread_attr_t*, sigset_t*);

constexpr useconds_t kStopPollUs = 100;

// The original functions. CreationWrappers::For stores an original (release) before it returns the
// wrapper. The wrapper loads the original (acquire).
std::atomic<void*> g_originals[kCreationCallCount][CreationWrappers::kMaxOriginals];

// The observer, and the number of running calls to it. A thread first increments the number, then
// reads the observer; StopObserving first stores nullptr, then reads the number. All four
// operations are seq_cst, so that either the thread reads nullptr, or StopObserving sees the call.
std::atomic<NativeThreadObserver*> g_observer{nullptr};
std::atomic<uint32_t> g_calls{0};

// The profiling signals: bit n - 1 is signal n. relaxed: StartObserving stores the signals before
// it stores g_observer, and a thread loads them after it has loaded g_observer.
std::atomic<uint64_t> g_signals{0};

// Written by OfProcess, before the first wrapper is handed out.
pthread_key_t g_key;                       // value in a thread: the next round of destructors
AttributeMask g_attribute_mask = nullptr;  // glibc 2.32 and later

class ObserverCall {
 public:
  ObserverCall() {
    g_calls.fetch_add(1, std::memory_order_seq_cst);
    observer_ = InForkedChild() ? nullptr : g_observer.load(std::memory_order_seq_cst);
  }
  // release, paired with the load in StopObserving: what the observer did in this call happens
  // before StopObserving returns.
  ~ObserverCall() { g_calls.fetch_sub(1, std::memory_order_release); }
  ObserverCall(const ObserverCall&) = delete;
  ObserverCall& operator=(const ObserverCall&) = delete;

  NativeThreadObserver* observer() const { return observer_; }

 private:
  NativeThreadObserver* observer_;
};

// Disables cancellation during its lifetime, because the observer might reach a cancellation point
// with a lock held.
class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &previous_); }
  ~CancellationOff() { pthread_setcancelstate(previous_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int previous_ = PTHREAD_CANCEL_ENABLE;
};

sigset_t SetOf(uint64_t bits) {
  sigset_t set;
  sigemptyset(&set);
  for (; bits != 0; bits &= bits - 1) sigaddset(&set, __builtin_ctzll(bits) + 1);
  return set;
}

// Blocks the signals whose bits are set in `signals` (bit n - 1 is signal n). Returns the bits of
// the signals that were not blocked before.
uint64_t Block(uint64_t signals) {
  if (signals == 0) return 0;
  const sigset_t set = SetOf(signals);
  sigset_t previous;
  pthread_sigmask(SIG_BLOCK, &set, &previous);
  uint64_t were_open = signals;
  for (uint64_t rest = signals; rest != 0; rest &= rest - 1) {
    if (sigismember(&previous, __builtin_ctzll(rest) + 1) == 1) were_open &= ~(rest & -rest);
  }
  return were_open;
}

void Unblock(uint64_t signals) {
  if (signals == 0) return;
  const sigset_t set = SetOf(signals);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// The argument of Begin, the first function of a new thread: the routine that the creator of the
// thread has passed, and the state to restore before the routine runs.
template <typename Routine>
struct Start {
  Routine routine;
  void* argument;
  bool brings_own_mask;  // true if the attributes include a signal mask
  uint64_t to_unblock;   // signals that the creator had not blocked before
  Nanos created_ns;      // time of the call that creates the thread
};

// Destructors of pthread keys run in rounds (POSIX, pthread_key_create), until no destructor is
// left or four rounds have passed. The end of a thread is announced in the second round, because
// the first round still runs code of the program.
constexpr char kRounds[] = {1, 2};
const void* const kFirstRound = &kRounds[0];
const void* const kSecondRound = &kRounds[1];

void OnKeyDestroyed(void* round) {
  const ErrnoSaver errno_saver;
  if (round == kFirstRound) {
    pthread_setspecific(g_key, kSecondRound);
    return;
  }
  const CancellationOff cancellation_off;
  const ObserverCall call;
  if (call.observer() == nullptr) return;
  Block(g_signals.load(std::memory_order_relaxed));
  call.observer()->OnNativeThreadEnd();
}

void Announce(Nanos created_ns) {
  // Announced already: the creation went through two wrappers.
  if (pthread_getspecific(g_key) != nullptr) return;
  const CancellationOff cancellation_off;
  const ObserverCall call;
  if (call.observer() == nullptr) return;
  pthread_setspecific(g_key, kFirstRound);
  call.observer()->OnNativeThreadStart(created_ns);
}

// The first function of a new thread. pthread_exit and cancellation unwind through Begin. Therefore
// Begin is not noexcept, and has no object to destroy while the routine runs.
template <typename Routine>
auto Begin(void* block) {
  const auto* const from_creator = static_cast<Start<Routine>*>(block);
  const Start<Routine> start = *from_creator;
  {
    const ErrnoSaver errno_saver;
    free(block);
    const uint64_t to_unblock =
        start.brings_own_mask ? Block(g_signals.load(std::memory_order_relaxed)) : start.to_unblock;
    Announce(start.created_ns);
    Unblock(to_unblock);
  }
  return start.routine(start.argument);
}

bool BringsOwnMask(const pthread_attr_t* attributes) {
  sigset_t mask;
  return attributes != nullptr && g_attribute_mask != nullptr &&
         g_attribute_mask(attributes, &mask) == 0;
}

// Calls create(Begin, block), or plain() if the thread will not be observed.
template <typename Routine, typename Create, typename Plain>
int CreateObserved(Routine routine, void* argument, const pthread_attr_t* attributes, Create create,
                   Plain plain) {
  Start<Routine>* start = nullptr;
  {
    const ErrnoSaver errno_saver;
    const bool observed = !InForkedChild() && g_observer.load(std::memory_order_acquire) != nullptr;
    // If the routine is Begin already, the call has come through another wrapper.
    if (observed && routine != static_cast<Routine>(Begin<Routine>)) {
      start = static_cast<Start<Routine>*>(malloc(sizeof(Start<Routine>)));
    }
    if (start != nullptr) {
      *start = {routine, argument, BringsOwnMask(attributes), 0, MonotonicNanos()};
    }
  }
  if (start == nullptr) return plain();
  uint64_t to_unblock = 0;
  if (!start->brings_own_mask) {
    to_unblock = Block(g_signals.load(std::memory_order_relaxed));
    start->to_unblock = to_unblock;
  }
  const int code = create(static_cast<Routine>(Begin<Routine>), start);
  const ErrnoSaver errno_saver;
  Unblock(to_unblock);
  if (code != 0) free(start);  // pthread_create and thrd_create return nonzero on failure
  return code;
}

void* Original(CreationCall call, size_t index) {
  return g_originals[static_cast<size_t>(call)][index].load(std::memory_order_acquire);
}

template <size_t kIndex>
int PthreadCreateWrapper(pthread_t* thread, const pthread_attr_t* attributes,
                         void* (*routine)(void*), void* argument) {
  const auto original =
      reinterpret_cast<PthreadCreate>(Original(CreationCall::kPthreadCreate, kIndex));
  return CreateObserved(
      routine, argument, attributes,
      [&](auto* begin, void* block) { return original(thread, attributes, begin, block); },
      [&] { return original(thread, attributes, routine, argument); });
}

template <size_t kIndex>
int ThrdCreateWrapper(thrd_t* thread, thrd_start_t routine, void* argument) {
  const auto original = reinterpret_cast<ThrdCreate>(Original(CreationCall::kThrdCreate, kIndex));
  return CreateObserved(
      routine, argument, nullptr,
      [&](auto* begin, void* block) { return original(thread, begin, block); },
      [&] { return original(thread, routine, argument); });
}

using Functions = std::array<void*, CreationWrappers::kMaxOriginals>;

template <size_t... kIndex>
std::array<Functions, kCreationCallCount> AllWrappers(std::index_sequence<kIndex...>) {
  return {Functions{reinterpret_cast<void*>(&PthreadCreateWrapper<kIndex>)...},
          Functions{reinterpret_cast<void*>(&ThrdCreateWrapper<kIndex>)...}};
}

const std::array<Functions, kCreationCallCount>& Wrappers() {
  static const auto wrappers =
      AllWrappers(std::make_index_sequence<CreationWrappers::kMaxOriginals>());
  return wrappers;
}

}  // namespace

Result<CreationWrappers*> CreationWrappers::OfProcess() {
  static constinit CreationWrappers* wrappers = nullptr;
  if (wrappers != nullptr) return wrappers;
  const int code = pthread_key_create(&g_key, OnKeyDestroyed);
  if (code != 0) {
    errno = code;
    return Error::FromErrno("pthread_key_create", "end of threads");
  }
  g_attribute_mask =
      reinterpret_cast<AttributeMask>(dlsym(RTLD_DEFAULT, "pthread_attr_getsigmask_np"));
  wrappers = new CreationWrappers;
  return wrappers;
}

void* CreationWrappers::For(size_t call, void* original) {
  for (size_t i = 0; i < kMaxOriginals; ++i) {
    void* const held = Original(CreationCall{call}, i);
    if (held == nullptr) g_originals[call][i].store(original, std::memory_order_release);
    if (held == nullptr || held == original) return Wrappers()[call][i];
  }
  return nullptr;
}

void* CreationWrappers::OriginalOf(const void* function) const {
  for (size_t row = 0; row < kCreationCallCount; ++row) {
    for (size_t i = 0; i < kMaxOriginals; ++i) {
      if (Wrappers()[row][i] == function) return Original(CreationCall{row}, i);
    }
  }
  return nullptr;
}

void CreationWrappers::StartObserving(NativeThreadObserver* observer,
                                      std::initializer_list<int> signals) {
  uint64_t bits = 0;
  for (const int signal : signals) bits |= uint64_t{1} << (signal - 1);
  g_signals.store(bits, std::memory_order_relaxed);
  g_observer.store(observer, std::memory_order_seq_cst);
}

void CreationWrappers::StopObserving() {
  g_observer.store(nullptr, std::memory_order_seq_cst);
  while (g_calls.load(std::memory_order_seq_cst) != 0) usleep(kStopPollUs);
}

}  // namespace jprof
