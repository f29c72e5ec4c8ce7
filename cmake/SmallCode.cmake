# Keeps libprofiler.so below its limit (test/scripts/package_test.py). Included by src/CMakeLists.txt.
if(JPROF_SANITIZER)
  return()
endif()

# Runs once a start or a command, or leaves the work to the kernel and the VM: compiled for size.
foreach(module IN LISTS engine_modules ITEMS base context elf engines/live instrument engines libraries os jvm recording recording/jfr stack session session/options agent formats
        threads views sources serve cli)
  profiler_target_name(${module} target)
  target_compile_options(${target} PRIVATE -Os)
endforeach()
# These run for each sample of a chunk.
profiler_lone_sources(recording/chunk_samples.cc recording/jfr/jfr_encoder.cc recording/jfr/stack_trace_pool.cc
  OPTIONS -O2)

# Nothing throws or is cancelled in these modules, and all code keeps its frame pointers: debuggers find
# the same tables in the debug file (.debug_frame), the walkers go on by the frame pointer. Code that the
# program's threads run while they begin and end or wait keeps its tables, for pthread_exit and a
# cancellation unwind through it.
set(unwound_modules engines/nativelock)
foreach(module IN LISTS engine_modules ITEMS elf engines engines/live formats instrument jvm profile profile/jfr profile/slices recording
        recording/jfr session session/options stack traces unwind)
  if(NOT module IN_LIST unwound_modules)
    profiler_target_name(${module} target)
    target_compile_options(${target} PRIVATE -fno-unwind-tables -fno-asynchronous-unwind-tables)
  endif()
endforeach()
