# Keeps libprofiler.so below its limit (test/scripts/package_test.py). Included by src/CMakeLists.txt.
if(JPROF_SANITIZER)
  return()
endif()

# Runs once a start or a command: compiled for size, as the modules in src/CMakeLists.txt that are
# nothing else.
target_compile_options(jprof_base PRIVATE -Os)
set_source_files_properties(
  os/fault_action.cc os/process_information.cc os/signal_action.cc os/system_information.cc
  jvm/attach_pause.cc jvm/hotspot_layout_reader.cc jvm/jvm_information.cc jvm/libjvm.cc
  jvm/object_fields.cc jvm/redaction.cc jvm/vm_structs.cc jvm/vm_tables.cc
  recording/opening_events.cc recording/own_participants.cc recording/profiler_statistics.cc
  engines/cpu/cpu_choice.cc engines/cpu/cpu_signal.cc
  PROPERTIES COMPILE_OPTIONS -Os)

# Nothing throws or is cancelled in these modules, and all code keeps its frame pointers: debuggers find
# the same tables in the debug file (.debug_frame), the walkers go on by the frame pointer. Code that the
# program's threads run while they begin and end keeps its tables, for pthread_exit unwinds through it.
foreach(module IN ITEMS formats profile profile_jfr recording recording_jfr session_options unwind)
  target_compile_options(jprof_${module} PRIVATE -fno-unwind-tables -fno-asynchronous-unwind-tables)
endforeach()
