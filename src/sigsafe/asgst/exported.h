// JPROF_EXPORTED marks a function that libprofiler.so exports (cmake/profiler.map).
#pragma once

#define JPROF_EXPORTED __attribute__((visibility("default")))
