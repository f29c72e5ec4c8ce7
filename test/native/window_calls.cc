// Native half of test/java/workloads/Windows.java: functions whose calls start and end windows,
// with C++ names as users write them in begin= and end=.
#include <jni.h>

namespace window_calls {

__attribute__((noinline)) void Open(int) { asm volatile(""); }
__attribute__((noinline)) void Close() { asm volatile(""); }

}  // namespace window_calls

extern "C" {

JNIEXPORT void JNICALL Java_Windows_openNative(JNIEnv*, jclass) { window_calls::Open(1); }
JNIEXPORT void JNICALL Java_Windows_closeNative(JNIEnv*, jclass) { window_calls::Close(); }

}  // extern "C"
