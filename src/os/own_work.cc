#include "os/own_work.h"

#include <mutex>

#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constinit std::mutex g_mutex;
constinit OwnWork* g_first = nullptr;  // guarded by g_mutex

}  // namespace

OwnWork::OwnWork() : tid_(CurrentTid()) {
  const std::lock_guard lock(g_mutex);
  next_ = g_first;
  g_first = this;
}

OwnWork::~OwnWork() {
  const std::lock_guard lock(g_mutex);
  OwnWork** link = &g_first;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

bool OwnWork::IsOnThisThread() {
  const Tid tid = CurrentTid();
  const std::lock_guard lock(g_mutex);
  for (const OwnWork* work = g_first; work != nullptr; work = work->next_) {
    if (work->tid_ == tid) return true;
  }
  return false;
}

}  // namespace jprof
