// A process that looks like a JVM of OpenJ9: libjvm.so exports no tables of HotSpot, libj9vm29.so is
// loaded, and JVMTI knows little more than the name of the JVM.
//
// usage: fake_j9 LIBRARY OPTIONS
//
// Loads the agent LIBRARY with OPTIONS as at the launch, then as by an attach, then by its C API.
// Prints the results, waits for a line of input, and ends.
#include <dlfcn.h>
#include <jvmti.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int fake_j9_loads_libjvm();   // libjvm.so
extern "C" int fake_j9_loads_libj9vm();  // libj9vm29.so

namespace {

constexpr size_t kJvmtiFunctions = sizeof(jvmtiInterface_1) / sizeof(void*);

jvmtiError JNICALL NotAvailable() { return JVMTI_ERROR_NOT_AVAILABLE; }

jvmtiError JNICALL GetSystemProperty(jvmtiEnv*, const char* name, char** value) {
  if (strcmp(name, "java.vm.name") != 0) return JVMTI_ERROR_NOT_AVAILABLE;
  *value = strdup("Eclipse OpenJ9 VM");
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL Deallocate(jvmtiEnv*, unsigned char* memory) {
  free(memory);
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL DisposeEnvironment(jvmtiEnv*) { return JVMTI_ERROR_NONE; }

jvmtiError JNICALL GetVersionNumber(jvmtiEnv*, jint* version) {
  *version = JVMTI_VERSION_11;
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL GetPhase(jvmtiEnv*, jvmtiPhase* phase) {
  *phase = JVMTI_PHASE_LIVE;
  return JVMTI_ERROR_NONE;
}

jvmtiEnv* Jvmti() {
  static std::array<void*, kJvmtiFunctions> functions;
  functions.fill(reinterpret_cast<void*>(&NotAvailable));
  auto* table = reinterpret_cast<jvmtiInterface_1*>(functions.data());
  table->GetSystemProperty = GetSystemProperty;
  table->Deallocate = Deallocate;
  table->DisposeEnvironment = DisposeEnvironment;
  table->GetVersionNumber = GetVersionNumber;
  table->GetPhase = GetPhase;
  static jvmtiEnv env;
  env.functions = table;
  return &env;
}

jint JNICALL GetEnv(JavaVM*, void** environment, jint version) {
  if ((version & JVMTI_VERSION_MASK_INTERFACE_TYPE) != JVMTI_VERSION_INTERFACE_JVMTI) {
    return JNI_EDETACHED;
  }
  *environment = Jvmti();
  return JNI_OK;
}

jint JNICALL Attach(JavaVM*, void**, void*) { return JNI_ERR; }
jint JNICALL Detach(JavaVM*) { return JNI_ERR; }

void PrintText(const char* text, size_t size, void*) {
  printf("text=%.*s\n", static_cast<int>(size), text);
}

}  // namespace

int main(int, char** argv) {
  if (fake_j9_loads_libjvm() + fake_j9_loads_libj9vm() != 2) return 1;
  JNIInvokeInterface_ functions{};
  functions.GetEnv = GetEnv;
  functions.AttachCurrentThread = Attach;
  functions.AttachCurrentThreadAsDaemon = Attach;
  functions.DetachCurrentThread = Detach;
  JavaVM vm;
  vm.functions = &functions;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using Entry = jint(JNICALL*)(JavaVM*, char*, void*);
  using Execute = int (*)(void*, const char*, void (*)(const char*, size_t, void*), void*);
  for (const char* name : {"Agent_OnLoad", "Agent_OnAttach"}) {
    printf("%s=%d\n", name, reinterpret_cast<Entry>(dlsym(library, name))(&vm, argv[2], nullptr));
  }
  const auto execute = reinterpret_cast<Execute>(dlsym(library, "profiler_execute_in"));
  printf("execute=%d\n", execute(&vm, argv[2], PrintText, nullptr));
  puts("ready");
  fflush(stdout);
  getchar();
  return 0;
}
