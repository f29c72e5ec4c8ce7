# The checks of the code itself, as ctest cases. docs/signal-safety.md says what each check proves,
# and test/cmake/ proves that each check finds a violation.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(JPROF_CLANG_FORMAT NAMES clang-format-14)

set(JPROF_MAX_GLIBC 2.17)  # the newest version of glibc that the library and jprof may need
set(JPROF_MAX_FILE_LINES 500)

profiler_check(layering COMMAND
  ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/check_layering.py
  ${CMAKE_BINARY_DIR}/modules.txt ${CMAKE_SOURCE_DIR})

profiler_check(prose COMMAND
  ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/check_prose.py ${CMAKE_SOURCE_DIR})

profiler_check(file_size COMMAND
  ${CMAKE_SOURCE_DIR}/cmake/check_file_size.sh ${CMAKE_SOURCE_DIR} ${JPROF_MAX_FILE_LINES})

if(JPROF_CLANG_FORMAT)
  profiler_check(format COMMAND
    ${CMAKE_SOURCE_DIR}/cmake/check_format.sh ${JPROF_CLANG_FORMAT} ${CMAKE_SOURCE_DIR})
endif()

profiler_objects_of(SIGNAL_SAFE signal_safe_objects)
profiler_check(signal_safe_symbols COMMAND
  ${CMAKE_SOURCE_DIR}/cmake/check_symbols.sh "in a signal handler"
  ${CMAKE_SOURCE_DIR}/cmake/signal_safe_symbols.txt ${signal_safe_objects})

profiler_objects_of(LOADER_LOCK loader_lock_objects)
profiler_check(loader_lock_symbols COMMAND
  ${CMAKE_SOURCE_DIR}/cmake/check_symbols.sh "under the dynamic linker's lock"
  ${CMAKE_SOURCE_DIR}/cmake/loader_lock_symbols.txt ${loader_lock_objects} ${signal_safe_objects})

profiler_objects_of(LOADER_LOCK other_objects NOT)
profiler_check(loader_lock_is_taken_in_one_module COMMAND
  ${CMAKE_SOURCE_DIR}/cmake/check_unused_symbol.sh dl_iterate_phdr
  "only src/loader_lock/ may walk the loaded objects (docs/signal-safety.md)" ${other_objects})

if(TARGET profiler)
  profiler_check(library COMMAND
    ${CMAKE_SOURCE_DIR}/cmake/check_library.sh $<TARGET_FILE:profiler>
    ${CMAKE_SOURCE_DIR}/cmake/profiler.map ${JPROF_MAX_GLIBC})
endif()

if(TARGET jprof AND NOT JPROF_SANITIZER)
  profiler_check(program COMMAND
    ${CMAKE_SOURCE_DIR}/cmake/check_library.sh --program $<TARGET_FILE:jprof> ${JPROF_MAX_GLIBC})
endif()

function(profiler_aarch64_check name target)
  profiler_check(${name} TIMEOUT 900 COMMAND ${CMAKE_SOURCE_DIR}/cmake/check_aarch64.sh
    ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/aarch64 ${JPROF_MAX_GLIBC} ${target})
  set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)  # a build takes all cores
endfunction()
profiler_aarch64_check(aarch64_processor_code processor_code)
profiler_aarch64_check(aarch64_cross_compile all)
set_tests_properties(aarch64_cross_compile PROPERTIES LABELS "check;long")

add_subdirectory(${CMAKE_SOURCE_DIR}/test/cmake ${CMAKE_BINARY_DIR}/test/cmake)
