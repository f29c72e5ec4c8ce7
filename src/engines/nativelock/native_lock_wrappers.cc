#include "engines/nativelock/native_lock_wrappers.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "engines/nativelock/native_waits.h"

namespace jprof {
namespace {

constexpr size_t kMaxOriginals = NativeLockWrappers::kMaxOriginals;

// A function that wrappers call. The constructor of NativeLockWrappers writes it, before an import
// slot leads to a wrapper.
struct Original {
  void* function = nullptr;  // nullptr if this element of g_originals is not used
  void* attempt = nullptr;   // nullptr if every call is a wait
};
Original g_originals[kNativeLockCallCount][kMaxOriginals];

// Returns the kernel's id of the thread that holds the lock; 0 if no thread holds the lock or the
// id is unknown. glibc keeps the id next to the lock's state (Debian's glibc 2.36,
// sysdeps/nptl/bits/struct_mutex.h, struct_rwlock.h). Here and below, the members of glibc's types
// are read by the compiler's atomic loads, because other threads change them, and their types are
// not std::atomic.
int32_t OwnerOf(const pthread_mutex_t* lock) {
  return __atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED);
}
int32_t OwnerOf(const pthread_rwlock_t* lock) {
  return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}
int32_t OwnerOf(const pthread_cond_t*) { return 0; }

// If a robust mutex is not recoverable, an attempt to take the mutex leaves it locked (glibc 2.36,
// nptl/pthread_mutex_trylock.c). So a wrapper makes no attempt on a robust mutex, and reads the
// state of the mutex instead.
constexpr int kRobust = 16;  // bit of the kind: PTHREAD_MUTEX_ROBUST_NORMAL_NP (nptl/pthreadP.h)
bool IsRobust(const pthread_mutex_t* lock) {
  return (__atomic_load_n(&lock->__data.__kind, __ATOMIC_RELAXED) & kRobust) != 0;
}
bool IsRobust(const pthread_rwlock_t*) { return false; }

// True if a live thread holds the lock. The state consists of the owner's id and flags that the
// kernel sets (linux/futex.h). REQUIRES: the lock is robust.
bool IsHeld(const pthread_mutex_t* lock) {
  const auto state = static_cast<uint32_t>(__atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED));
  return (state & FUTEX_TID_MASK) != 0 && (state & FUTEX_OWNER_DIED) == 0;
}
bool IsHeld(const pthread_rwlock_t*) { return true; }

template <size_t kCall, size_t kOriginal, typename Function>
struct Wrapper;

template <size_t kCall, size_t kOriginal, typename Lock, typename... Rest>
struct Wrapper<kCall, kOriginal, int(Lock*, Rest...)> {
  static int Call(Lock* lock, Rest... rest) {
    const Original& original = g_originals[kCall][kOriginal];
    const auto function = reinterpret_cast<int (*)(Lock*, Rest...)>(original.function);
    if constexpr (!kNativeLockCalls[kCall].attempt.empty()) {
      if (IsRobust(lock)) {
        if (!IsHeld(lock)) return function(lock, rest...);
      } else {
        const int code = reinterpret_cast<int (*)(Lock*)>(original.attempt)(lock);
        if (code == 0) return 0;
        if (code != EBUSY) return function(lock, rest...);
      }
    }
    const StartedNativeWait wait = NativeWaits::Begin(
        kNativeLockCalls[kCall].type, reinterpret_cast<uintptr_t>(lock), OwnerOf(lock));
    const int code = function(lock, rest...);
    if (wait) {
      // On x86-64 and on AArch64, the word at the wrapper's frame pointer is the frame pointer of
      // its caller.
      const StackPosition call{reinterpret_cast<uint64_t>(__builtin_return_address(0)),
                               reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()),
                               *static_cast<const uint64_t*>(__builtin_frame_address(0)),
                               PcMeaning::kReturn};
      NativeWaits::End(wait, code, call);
    }
    return code;
  }
};

using Wrappers = std::array<void*, kMaxOriginals>;

template <size_t kCall, typename... Arguments, size_t... kOriginal>
Wrappers WrappersLike(int (*)(Arguments...), std::index_sequence<kOriginal...>) {
  return {reinterpret_cast<void*>(&Wrapper<kCall, kOriginal, int(Arguments...)>::Call)...};
}

enum class CallIndex : size_t {
#define JPROF_NATIVE_LOCK_CALL(function, type, attempt) function##_index,
#include "engines/nativelock/native_lock_calls.def"
};

const std::array<Wrappers, kNativeLockCallCount>& AllWrappers() {
  static const std::array<Wrappers, kNativeLockCallCount> all = {
#define JPROF_NATIVE_LOCK_CALL(function, type, attempt)           \
  WrappersLike<static_cast<size_t>(CallIndex::function##_index)>( \
      function, std::make_index_sequence<kMaxOriginals>()),
#include "engines/nativelock/native_lock_calls.def"
  };
  return all;
}

void* Find(void* library, std::string_view name) {
  return library == nullptr ? nullptr : dlsym(library, std::string(name).c_str());
}

bool AreOfOneObject(const void* a, const void* b) {
  Dl_info first{};
  Dl_info second{};
  return dladdr(a, &first) != 0 && dladdr(b, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

void Add(size_t call, const Original& original) {
  if (original.function == nullptr) return;
  if (original.attempt == nullptr && !kNativeLockCalls[call].attempt.empty()) return;
  for (Original& place : g_originals[call]) {
    if (place.function == original.function) return;
    if (place.function != nullptr) continue;
    place = original;
    return;
  }
}

}  // namespace

NativeLockWrappers& NativeLockWrappers::OfProcess() {
  static auto* const wrappers = new NativeLockWrappers;
  return *wrappers;
}

// Finds the originals. A function and its attempt must belong to the same implementation, because
// they use the same locks. Before glibc 2.34, libc.so has versions of some functions that forward
// to the functions of libpthread.so. The attempts for these versions are in libpthread.so.
NativeLockWrappers::NativeLockWrappers() {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);  // stays open: never unloaded
  void* const libpthread = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
  for (size_t i = 0; i < kNativeLockCallCount; ++i) {
    const NativeLockCall& call = kNativeLockCalls[i];
    names_[i] = call.name;
    const bool has_attempt = !call.attempt.empty();
    const Original global{
        dlsym(RTLD_DEFAULT, std::string(call.name).c_str()),
        has_attempt ? dlsym(RTLD_DEFAULT, std::string(call.attempt).c_str()) : nullptr};
    if (!has_attempt || AreOfOneObject(global.function, global.attempt)) Add(i, global);
    void* const attempt_of_thread_library =
        has_attempt ? Find(libpthread != nullptr ? libpthread : libc, call.attempt) : nullptr;
    for (void* const library : {libpthread, libc}) {
      Add(i, {Find(library, call.name), attempt_of_thread_library});
    }
  }
}

bool NativeLockWrappers::Wants(const ImportSlot& slot) const {
  const auto is_in = [&slot](const void* place) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    return slot.object.begin <= address && address < slot.object.end;
  };
  // A wrapper reads the clock. If a library replaces clock_gettime by a function that takes a lock,
  // that call must not lead to a wrapper: the wrapper and the function would call each other until
  // the stack is full.
  if (is_in(reinterpret_cast<const void*>(&clock_gettime))) return false;
  return !is_in(without_conditions_) || kNativeLockCalls[slot.name].type != WaitType::kCondition;
}

void* NativeLockWrappers::For(size_t call, void* original) {
  for (size_t i = 0; i < kMaxOriginals; ++i) {
    if (g_originals[call][i].function == original) return AllWrappers()[call][i];
  }
  return nullptr;
}

void* NativeLockWrappers::OriginalOf(const void* function) const {
  for (size_t call = 0; call < kNativeLockCallCount; ++call) {
    for (size_t i = 0; i < kMaxOriginals; ++i) {
      if (AllWrappers()[call][i] == function) return g_originals[call][i].function;
    }
  }
  return nullptr;
}

}  // namespace jprof
