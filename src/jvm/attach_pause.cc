#include "jvm/attach_pause.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "jvm/vm_structs.h"
#include "os/memory_protection.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/raw_syscall.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

using Functions = const JNIInvokeInterface_*;

constexpr Nanos kPollNs = 500'000;
constexpr int kAttempts = 20;
constexpr uint32_t kMostThreads = 1 << 20;  // a list that claims more is not a list of threads

// Our table of functions. It is filled before it first replaces the JVM's table. It is never filled
// again, because the functions of a JVM never change.
JNIInvokeInterface_ g_table;
// The JVM's table. Stored (release) before our table replaces it; loaded (acquire) by the functions
// in our table.
std::atomic<Functions> g_original{nullptr};

// The time until which attaching threads wait (CLOCK_MONOTONIC); 0 after the pause. AttachPause
// stores it with release; the attaching threads load it with acquire.
std::atomic<Nanos> g_until_ns{0};

// True once a thread has called AttachCurrentThread during the pause. Relaxed: the flag only makes
// the pause longer, and orders no other data.
std::atomic<bool> g_has_attaching_thread{false};

// Returns a reference to the JVM's pointer to its table of functions. The pointer is stored with
// release and loaded with acquire, so that a thread that loads the address of our table also sees
// the table's content.
std::atomic_ref<Functions> SlotOf(JavaVM* vm) { return std::atomic_ref<Functions>(vm->functions); }

void AwaitEndUnlessAttached(JavaVM* vm, Functions original) {
  void* env = nullptr;
  if (original->GetEnv(vm, &env, JNI_VERSION_1_2) == JNI_OK) return;
  g_has_attaching_thread.store(true, std::memory_order_relaxed);
  while (MonotonicNanos() < g_until_ns.load(std::memory_order_acquire)) RawSleep(kPollNs);
}

jint JNICALL Attach(JavaVM* vm, void** env, void* arguments) {
  const Functions original = g_original.load(std::memory_order_acquire);
  AwaitEndUnlessAttached(vm, original);
  return original->AttachCurrentThread(vm, env, arguments);
}

jint JNICALL AttachAsDaemon(JavaVM* vm, void** env, void* arguments) {
  const Functions original = g_original.load(std::memory_order_acquire);
  AwaitEndUnlessAttached(vm, original);
  return original->AttachCurrentThreadAsDaemon(vm, env, arguments);
}

bool IsWritable(const void* address) {
  const Result<MemoryProtection> protection = MemoryProtection::Snapshot();
  return protection &&
         (protection.value().Of(reinterpret_cast<uintptr_t>(address)) & PROT_WRITE) != 0;
}

void InstallTable(JavaVM* vm) {
  const Functions present = SlotOf(vm).load(std::memory_order_acquire);
  if (present == &g_table || !IsWritable(&vm->functions)) return;
  if (g_original.load(std::memory_order_relaxed) == nullptr) {
    g_table = *present;
    g_table.AttachCurrentThread = Attach;
    g_table.AttachCurrentThreadAsDaemon = AttachAsDaemon;
    g_original.store(present, std::memory_order_release);
  }
  if (present != g_original.load(std::memory_order_relaxed)) return;  // another agent's table
  SlotOf(vm).store(&g_table, std::memory_order_release);
}

void RestoreTable(JavaVM* vm) {
  Functions ours = &g_table;
  SlotOf(vm).compare_exchange_strong(ours, g_original.load(std::memory_order_relaxed),
                                     std::memory_order_acq_rel);
}

// Reads the VM's list of threads without the VM's locks. The VM can therefore replace and free the
// list during a read.
class ListedThreads {
 public:
  static std::optional<ListedThreads> Find() {
    const Result<VmStructs> structs = LoadVmStructs();
    if (!structs || !structs.value().fields.thread_current) return std::nullopt;
    const uint64_t* list = structs.value().statics.java_thread_list;
    const VmFields& fields = structs.value().fields;
    if (list == nullptr || !fields.list_length || !fields.list_threads || !fields.thread_object) {
      return std::nullopt;
    }
    return ListedThreads(list, fields);
  }

  // True if the list has been read and is empty.
  bool IsEmpty() const {
    const std::optional<std::vector<uint64_t>> threads = Read();
    return threads && threads->empty();
  }

  // True if a thread in the list has no java.lang.Thread yet. Also true if a thread has just exited
  // and cannot be read, or if the list changes too fast to be copied.
  bool HasAttachingThread() const {
    const std::optional<std::vector<uint64_t>> threads = Read();
    return !threads || std::any_of(threads->begin(), threads->end(), [this](uint64_t thread) {
      uint64_t handle = 0;
      return !SafeLoad(Address(thread + *fields_.thread_object), &handle) || handle == 0;
    });
  }

 private:
  ListedThreads(const uint64_t* list, const VmFields& fields) : list_(list), fields_(fields) {}

  static const void* Address(uint64_t address) { return reinterpret_cast<const void*>(address); }

  // Returns the addresses of the JavaThreads in the list; nullopt if every attempt to copy the list
  // fails. A copy is used only if the VM has the same list after the copying as before, because the
  // memory of a freed list can contain anything.
  std::optional<std::vector<uint64_t>> Read() const {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      uint64_t list = 0;
      if (!SafeLoad(list_, &list)) continue;
      const std::optional<std::vector<uint64_t>> threads = ReadList(list);
      uint64_t list_now = 0;
      if (threads && SafeLoad(list_, &list_now) && list_now == list) return threads;
    }
    return std::nullopt;
  }

  std::optional<std::vector<uint64_t>> ReadList(uint64_t list) const {
    uint32_t length = 0;
    uint64_t first = 0;
    const bool read = SafeLoad(Address(list + *fields_.list_length), &length) &&
                      SafeLoad(Address(list + *fields_.list_threads), &first);
    if (!read || length > kMostThreads) return std::nullopt;
    std::vector<uint64_t> threads(length);
    const size_t bytes = length * sizeof(uint64_t);
    if (SafeCopy(threads.data(), Address(first), bytes) != bytes) return std::nullopt;
    return threads;
  }

  const uint64_t* const list_;
  const VmFields fields_;
};

}  // namespace

AttachPause::AttachPause(JavaVM* vm) : vm_(vm) {
  const std::optional<ListedThreads> threads = ListedThreads::Find();
  if (!threads || threads->IsEmpty()) return;
  Nanos now_ns = MonotonicNanos();
  g_has_attaching_thread.store(false, std::memory_order_relaxed);
  g_until_ns.store(now_ns + kMaxHoldNs, std::memory_order_release);
  InstallTable(vm);
  const Nanos deadline_ns = now_ns + kMaxWaitNs;
  Nanos quiet_since_ns = now_ns;
  Nanos quiet_ns = kQuietNs;
  while (now_ns < deadline_ns && now_ns < quiet_since_ns + quiet_ns) {
    RawSleep(kPollNs);
    now_ns = MonotonicNanos();
    const bool under_way = threads->HasAttachingThread();
    if (under_way) quiet_since_ns = now_ns;
    if (under_way || g_has_attaching_thread.load(std::memory_order_relaxed)) {
      quiet_ns = kBusyQuietNs;
    }
  }
}

AttachPause::~AttachPause() {
  g_until_ns.store(0, std::memory_order_release);
  RestoreTable(vm_);
}

}  // namespace jprof
