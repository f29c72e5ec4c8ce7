#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

constinit thread_local ProfiledThread* t_current = nullptr;

}  // namespace

ProfiledThread* CurrentThread() { return t_current; }
void SetCurrentThread(ProfiledThread* thread) { t_current = thread; }

}  // namespace jprof
