# Keeps libprofiler.so below its limit (test/scripts/package_test.py). Included by src/CMakeLists.txt.
if(JPROF_SANITIZER)
  return()
endif()

# Runs once a start or a command, or leaves the work to the kernel and the VM: compiled for size.
foreach(module IN LISTS engine_modules ITEMS base elf engines/live instrument engines libraries os jvm chunks jfr/writer stack sampler recording options answers agent formats
        formats/page profile/analysis threads views sources serve cli cli/words cli/convert cli/launch)
  profiler_target_name(${module} target)
  target_compile_options(${target} PRIVATE -Os)
endforeach()
# These run for each sample of a chunk.
profiler_lone_sources(chunks/chunk_samples.cc jfr/writer/jfr_encoder.cc jfr/writer/stack_trace_pool.cc
  OPTIONS -O2)
# These run once a conversion, unlike the rest of their module.
profiler_lone_sources(profile/moment.cc profile/slice.cc profile/profile_part.cc profile/slice_sink.cc profile/read_slices.cc
  OPTIONS -Os)

# Nothing throws or is cancelled in these modules, and all code keeps its frame pointers: debuggers find
# the same tables in the debug file (.debug_frame), the walkers go on by the frame pointer. Code that the
# program's threads run while they begin and end or wait keeps its tables, for pthread_exit and a
# cancellation unwind through it.
set(unwound_modules engines/nativelock)
foreach(module IN LISTS engine_modules ITEMS elf engines engines/live formats formats/page instrument jvm profile jfr/reader
        profile/analysis chunks
        jfr/writer sampler recording options answers stack call_traces unwind)
  if(NOT module IN_LIST unwound_modules)
    profiler_target_name(${module} target)
    target_compile_options(${target} PRIVATE -fno-unwind-tables -fno-asynchronous-unwind-tables)
  endif()
endforeach()
