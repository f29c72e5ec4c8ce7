#include "os/native_thread.h"

#include <semaphore.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <utility>

#include "os/own_work.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr size_t kStackSize = 512 * 1024;

struct StartInfo {
  std::function<void()> body;
  std::string name;
  sem_t started;
  Tid tid;
};

void* Run(void* argument) {
  auto* info = static_cast<StartInfo*>(argument);
  pthread_setname_np(pthread_self(), info->name.c_str());
  const std::function<void()> body = std::move(info->body);
  const OwnWork work;
  info->tid = CurrentTid();
  sem_post(&info->started);  // `info` might be destroyed from here on
  body();
  return nullptr;
}

// Creates the thread while all signals are blocked in the calling thread: the new thread inherits
// this signal mask, so it never runs a handler, not even before its first instruction.
int CreateWithSignalsBlocked(pthread_t* thread, StartInfo* info) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  sigset_t all;
  sigset_t previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  const int code = pthread_create(thread, &attributes, Run, info);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  return code;
}

}  // namespace

Result<NativeThread> NativeThread::Start(const std::string& name, std::function<void()> body) {
  StartInfo info{std::move(body), name, {}, Tid{0}};
  sem_init(&info.started, 0, 0);
  pthread_t thread;
  const int code = CreateWithSignalsBlocked(&thread, &info);
  if (code != 0) {
    sem_destroy(&info.started);
    errno = code;
    return Error::FromErrno("pthread_create", name);
  }
  while (sem_wait(&info.started) != 0) {
  }
  sem_destroy(&info.started);
  return NativeThread(thread, info.tid);
}

NativeThread::NativeThread(NativeThread&& other) noexcept
    : thread_(other.thread_), tid_(std::exchange(other.tid_, Tid{0})) {}

NativeThread& NativeThread::operator=(NativeThread&& other) noexcept {
  if (this != &other) {
    Join();
    thread_ = other.thread_;
    tid_ = std::exchange(other.tid_, Tid{0});
  }
  return *this;
}

void NativeThread::Detach() {
  if (std::exchange(tid_, Tid{0}) != Tid{0}) pthread_detach(thread_);
}

void NativeThread::Join() {
  if (std::exchange(tid_, Tid{0}) != Tid{0}) pthread_join(thread_, nullptr);
}

}  // namespace jprof
