#include "native/asgst_probe/unloads_task.h"

namespace jprof::test {

void UnloadsTask::OnUnload(ASGST_Class klass, ASGST_Method* methods, int count, bool redefined,
                           void* argument) {
  auto& task = *static_cast<UnloadsTask*>(argument);
  const std::lock_guard<std::mutex> lock(task.mutex_);
  if (!task.unloaded_.insert(klass).second) ++task.twice_;
  char name[300] = "";
  ASGST_ClassInfo info{};
  info.class_name = name;
  info.class_name_length = sizeof name;
  if (task.api_.ASGST_GetClassInfo(klass, &info) != 1 || redefined || count < 1) ++task.unnamed_;
  for (int i = 0; i < count; ++i) {
    if (task.api_.ASGST_GetClass(methods[i]) != klass) ++task.unnamed_;
  }
  const std::string text = name;
  if (text.find("Throwaway") == std::string::npos && text.find("Lambda") == std::string::npos &&
      text.find("LambdaForm") == std::string::npos && task.strange_++ == 0) {
    task.first_strange_ = text;
  }
}

void UnloadsTask::Begin(jvmtiEnv* jvmti, JNIEnv*) {
  jvmti_ = jvmti;
  wrong_results_ += api_.ASGST_RegisterClassUnloadHandler(nullptr, this) != ASGST_WRONG_ARGUMENT;
  wrong_results_ += api_.ASGST_DeregisterClassUnloadHandler(&OnUnload, this);
  wrong_results_ += api_.ASGST_RegisterClassUnloadHandler(&OnUnload, this) != 1;
}

// Forces a collection now and then, because a JVM unloads no classes without one.
void UnloadsTask::WalkThread(int tid) {
  constexpr uint64_t kBetweenCollections = 2000;
  if (++walks_ % kBetweenCollections == 0) {
    JNIEnv* jni = nullptr;
    vm_->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), nullptr);
    jvmti_->ForceGarbageCollection();
    vm_->DetachCurrentThread();
  }
  StormTask::WalkThread(tid);
}

std::string UnloadsTask::Text() {
  wrong_results_ += !api_.ASGST_DeregisterClassUnloadHandler(&OnUnload, this);
  const std::lock_guard<std::mutex> lock(mutex_);
  return "unloads.classes=" + std::to_string(unloaded_.size()) +
         "\nunloads.twice=" + std::to_string(twice_) +
         "\nunloads.unnamed=" + std::to_string(unnamed_) +
         "\nunloads.strange=" + std::to_string(strange_) +
         "\nunloads.wrong_results=" + std::to_string(wrong_results_) + "\n" + first_strange_ +
         "\n" + StormTask::Text();
}

}  // namespace jprof::test
