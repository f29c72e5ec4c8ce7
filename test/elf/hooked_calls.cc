// A library that calls functions of the C library through import slots of its own.
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) int CallGetppid() { return getppid(); }
extern "C" __attribute__((visibility("default"))) int CallGetpgid() { return getpgid(0); }
