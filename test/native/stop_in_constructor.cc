// Native half of test/java/workloads/StopWhileLoading.java. Its constructor stops the profiler.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "native/burner.h"
#include "native/profiler_control.h"

namespace {

// Long enough for the profiler to have noticed this library, which it can read only after the
// constructor has returned.
constexpr useconds_t kSeveralLooksUs = 350'000;

std::string& Answer() {
  static auto* const answer = new std::string;
  return *answer;
}

__attribute__((constructor)) void StopProfiler() {
  const char* agent = getenv("JPROF_TEST_AGENT");
  if (agent == nullptr) return;
  usleep(kSeveralLooksUs);
  Answer() = jprof::test::Execute(agent, "stop");
}

}  // namespace

extern "C" JNIEXPORT jstring JNICALL Java_StopWhileLoading_answer(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(Answer().c_str());
}
