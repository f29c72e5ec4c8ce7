// Native half of test/java/workloads/LibraryTurns.java: loads, calls and unloads turn_library.cc.
#include <dlfcn.h>
#include <jni.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "native/burner.h"

using Burn = int64_t (*)(int64_t);

extern "C" {

JNIEXPORT jlong JNICALL Java_LibraryTurns_open(JNIEnv* jni, jclass, jstring path) {
  void* const library = dlopen(jprof::test::TextOf(jni, path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) abort();
  return reinterpret_cast<jlong>(library);
}

JNIEXPORT jlong JNICALL Java_LibraryTurns_find(JNIEnv* jni, jclass, jlong library, jstring name) {
  void* const function =
      dlsym(reinterpret_cast<void*>(library), jprof::test::TextOf(jni, name).c_str());
  if (function == nullptr) abort();
  return reinterpret_cast<jlong>(function);
}

JNIEXPORT jlong JNICALL Java_LibraryTurns_burn(JNIEnv*, jclass, jlong function, jlong nanos) {
  const int64_t used = reinterpret_cast<Burn>(function)(nanos);
  return used < 0 ? 0 : used;
}

JNIEXPORT void JNICALL Java_LibraryTurns_close(JNIEnv*, jclass, jlong library) {
  if (dlclose(reinterpret_cast<void*>(library)) != 0) abort();
}

}  // extern "C"
