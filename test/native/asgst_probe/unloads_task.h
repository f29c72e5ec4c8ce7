// UnloadsTask: walks threads that load classes which are unloaded again, and collects what the
// handler for unloaded classes gets.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/storm_task.h"

namespace jprof::test {

class UnloadsTask : public StormTask {
 public:
  UnloadsTask(const Api& api, JavaVM* vm, uint64_t wanted)
      : StormTask(api, wanted), api_(api), vm_(vm) {}

  void Begin(jvmtiEnv* jvmti, JNIEnv* jni) override;
  void WalkThread(int tid) override;
  std::string Text() override;

 private:
  static void OnUnload(ASGST_Class klass, ASGST_Method* methods, int count, bool redefined,
                       void* task);

  const Api& api_;
  JavaVM* const vm_;
  jvmtiEnv* jvmti_ = nullptr;
  uint64_t walks_ = 0;
  int wrong_results_ = 0;
  std::mutex mutex_;  // guards all below
  std::set<ASGST_Class> unloaded_;
  int twice_ = 0;
  int unnamed_ = 0;
  int strange_ = 0;  // classes that the program does not unload
  std::string first_strange_;
};

}  // namespace jprof::test
