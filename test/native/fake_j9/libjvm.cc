// The library libjvm.so of OpenJ9 as the agent sees it: it exports functions of JNI, and even
// AsyncGetCallTrace, and no tables for debuggers.
extern "C" {

int fake_j9_loads_libjvm() { return 1; }

int JNI_GetCreatedJavaVMs(void**, int, int* count) {
  *count = 0;
  return 0;
}

void AsyncGetCallTrace(void*, int, void*) {}

}  // extern "C"
