// ProbeTask: a task of the test agent asgst_probe.
#pragma once

#include <jvmti.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace jprof::test {

class ProbeTask {
 public:
  virtual ~ProbeTask() = default;

  // Called when the program calls WalkProbe.begin, in that native method.
  virtual void Begin(jvmtiEnv*, JNIEnv*) {}
  // Called in the callback for a sampled allocation.
  virtual void OnAllocation(jvmtiEnv*, JNIEnv*) {}
  // Called in the callbacks for the start and the end of a thread, on the thread.
  virtual void OnThreadStart(JNIEnv*) {}
  virtual void OnThreadEnd(JNIEnv*) {}
  // Called in the handler of SIGPROF.
  virtual void OnSignal(ucontext_t*) {}
  // Walks a thread, called by the driver. The default interrupts the thread, which then walks itself.
  virtual void WalkThread(int tid) { syscall(SYS_tgkill, getpid(), tid, SIGPROF); }
  virtual bool IsDone() const = 0;
  // Returns the lines that the agent prints at the end of the JVM.
  virtual std::string Text() = 0;
};

}  // namespace jprof::test
