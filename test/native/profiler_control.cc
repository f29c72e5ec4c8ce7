// Native half of test/java/workloads/Profiler.java.
#include "native/profiler_control.h"

#include "native/burner.h"

extern "C" JNIEXPORT jstring JNICALL Java_Profiler_execute(JNIEnv* jni, jclass, jstring agent,
                                                           jstring command) {
  using jprof::test::TextOf;
  const std::string answer = jprof::test::Execute(TextOf(jni, agent), TextOf(jni, command));
  return jni->NewStringUTF(answer.c_str());
}
