# Keeps libprofiler.so below its size limit (test/scripts/package_test.py). src/CMakeLists.txt
# includes this file.
if(JPROF_SANITIZER)
  return()
endif()

# Compiles for size: modules that run once for a start or a command, and modules that mostly wait
# for the kernel or the VM.
foreach(module IN LISTS engine_modules ITEMS base elf instrument engines libraries os jvm chunks jfr/writer walking sampler recording options answers agent formats
        formats/page profile/analysis threads views sources serve cli cli/words cli/convert cli/launch)
  profiler_target_name(${module} target)
  target_compile_options(${target} PRIVATE -Os)
endforeach()
# These files are compiled for speed, because they run for each sample of a chunk.
profiler_lone_sources(chunks/chunk_samples.cc jfr/writer/jfr_encoder.cc jfr/writer/stack_trace_pool.cc
  OPTIONS -O2)
# These files are compiled for size, because they run once for a conversion, unlike the rest of
# their module.
profiler_lone_sources(profile/moment.cc profile/slice.cc profile/slice_sink.cc profile/read_slices.cc
  OPTIONS -Os)

# Leaves unwind tables out of modules in which nothing throws and no thread is cancelled. Debuggers
# find the same tables in the debug file (.debug_frame), and the walkers use frame pointers, which
# all code keeps. Code that threads of the program run when they start, end or wait keeps its
# tables, because pthread_exit and cancellation unwind through it.
set(unwound_modules engines/nativelock)
foreach(module IN LISTS engine_modules ITEMS elf engines formats formats/page instrument jvm profile jfr/reader
        profile/analysis chunks
        jfr/writer sampler recording options answers walking call_traces unwind)
  if(NOT module IN_LIST unwound_modules)
    profiler_target_name(${module} target)
    target_compile_options(${target} PRIVATE -fno-unwind-tables -fno-asynchronous-unwind-tables)
  endif()
endforeach()
