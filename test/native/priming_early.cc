// Native half of test/java/workloads/Priming.java, loaded before the profiler starts.
#include <dlfcn.h>

#include "native/burner.h"

using jprof::test::Burner;
using jprof::test::TextOf;

extern "C" {

JNIEXPORT jlong JNICALL Java_Priming_prepareThread(JNIEnv* jni, jclass, jstring name) {
  return reinterpret_cast<jlong>(new Burner(TextOf(jni, name)));
}

JNIEXPORT jlong JNICALL Java_Priming_releaseThread(JNIEnv*, jclass, jlong thread, jlong nanos) {
  auto* const burner = reinterpret_cast<Burner*>(thread);
  const jlong used_ns = burner->BurnAndEnd(nanos);
  delete burner;
  return used_ns;
}

JNIEXPORT jlong JNICALL Java_Priming_burnInThread(JNIEnv* jni, jclass, jstring name, jlong nanos) {
  return Burner(TextOf(jni, name)).BurnAndEnd(nanos);
}

JNIEXPORT jlong JNICALL Java_Priming_burnInAttachedThread(JNIEnv* jni, jclass, jstring name,
                                                          jlong nanos) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return -1;
  return Burner(TextOf(jni, name), vm).BurnAndEnd(nanos);
}

JNIEXPORT jlong JNICALL Java_Priming_burnInPlugin(JNIEnv* jni, jclass, jstring library,
                                                  jstring name, jlong nanos) {
  void* const plugin = dlopen(TextOf(jni, library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return -1;
  using Burn = jlong (*)(const char* name, jlong nanos);
  return reinterpret_cast<Burn>(dlsym(plugin, "BurnInThread"))(TextOf(jni, name).c_str(), nanos);
}

}  // extern "C"
