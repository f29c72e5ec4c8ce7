# Keeps libprofiler.so below its limit (test/scripts/package_test.py). Included by src/CMakeLists.txt.
if(JPROF_SANITIZER)
  return()
endif()

# Runs once a start or a command, or leaves the work to the kernel and the VM: compiled for size.
foreach(module IN LISTS engine_modules ITEMS base context elf engines/live instrument engines libraries os jvm stack session session/options agent formats
        threads views sources serve cli)
  profiler_target_name(${module} target)
  target_compile_options(${target} PRIVATE -Os)
endforeach()
set_source_files_properties(
  recording/chunk_sequence.cc recording/class_constants.cc recording/context_fields.cc recording/file_series.cc recording/gc_events.cc
  recording/library_events.cc recording/load_events.cc recording/opening_events.cc recording/own_participants.cc
  recording/profiler_statistics.cc recording/recorder.cc recording/recorder_mailbox.cc recording/recording_summary.cc
  recording/native_names.cc recording/stack_constants.cc recording/thread_constants.cc
  recording/thread_lifecycle_events.cc recording/thread_times.cc recording/virtual_names.cc
  recording/jfr/event_declarations.cc recording/jfr/event_settings.cc recording/jfr/file_io.cc recording/jfr/jfr_writer.cc
  recording/jfr/jfr_metadata.cc recording/jfr/side_file.cc recording/jfr/sealed_file.cc
  recording/jfr/constant_pools.cc recording/jfr/jfr_chunk.cc recording/jfr/thread_table.cc unwind/process_tables.cc
  profile/chunk_names.cc profile/class_text.cc profile/recording_facts.cc profile/sample_plan.cc
  profile/jfr/jfr_chunk_layout.cc profile/jfr/jfr_repair.cc profile/jfr/jfr_schema_parser.cc
  profile/slices/moment.cc profile/slices/slice.cc profile/slices/read_slices.cc
  PROPERTIES COMPILE_OPTIONS -Os)

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
