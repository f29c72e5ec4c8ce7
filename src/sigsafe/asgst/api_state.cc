#include "sigsafe/asgst/api_state.h"

#include "sigsafe/os/guarded_load.h"

// The header <pthread.h> is not included, because most of its functions are not for handlers. This
// one reads an array of the calling thread, and neither allocates nor locks (glibc 2.17 to 2.41
// nptl/pthread_getspecific.c).
// NOLINTNEXTLINE(readability-redundant-declaration): other headers might declare it, or not
extern "C" void* pthread_getspecific(pthread_key_t key) noexcept;

namespace jprof::asgst {
namespace {

// seq_cst is not needed: the withdrawal of walks waits by means of the WalkEnvironment. release and
// acquire make the members of the state visible.
constinit std::atomic<const ApiState*> g_state{nullptr};

constinit std::atomic<const ApiState*> g_names{nullptr};

constinit thread_local char t_thread = 0;

}  // namespace

const ApiState* TheApiState() { return g_state.load(std::memory_order_acquire); }

const ApiState* TheNames() { return g_names.load(std::memory_order_acquire); }

void UseApiState(const ApiState* state) {
  if (state != nullptr) g_names.store(state, std::memory_order_release);
  g_state.store(state, std::memory_order_release);
}

uint64_t RunningVmThread(const ApiState& state) {
  return reinterpret_cast<uint64_t>(pthread_getspecific(state.thread_key));
}

// The VM's own Java threads have other virtual tables, but the same JNI functions.
bool IsJavaThread(const ApiState& state, uint64_t thread) {
  uint64_t word = 0;
  if (thread == 0 || thread % kWordSize != 0) return false;
  if (GuardedLoad(thread, &word) && word == state.java_thread_table) return true;
  const uint64_t env = thread + static_cast<uint64_t>(state.vm->env_offset);
  return GuardedLoad(env, &word) && word == state.jni_functions;
}

uint64_t RunningJavaThread(const ApiState& state) {
  const uint64_t thread = RunningVmThread(state);
  return IsJavaThread(state, thread) ? thread : 0;
}

const void* RunningThread() { return &t_thread; }

}  // namespace jprof::asgst
