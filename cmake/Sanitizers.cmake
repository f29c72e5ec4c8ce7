# JPROF_SANITIZER: empty, asan-ubsan or tsan. Tests that start a JVM do not run under them.
set(JPROF_SANITIZER "" CACHE STRING "Sanitizer of this build: empty, asan-ubsan or tsan")

if(JPROF_SANITIZER STREQUAL "asan-ubsan")
  # Without vptr: that check reads memory through a pipe, and calls every object invalid where a test
  # has taken the descriptors away.
  set(_sanitizer_flags -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
elseif(JPROF_SANITIZER STREQUAL "tsan")
  set(_sanitizer_flags -fsanitize=thread)
elseif(NOT JPROF_SANITIZER STREQUAL "")
  message(FATAL_ERROR "JPROF_SANITIZER is '${JPROF_SANITIZER}': use asan-ubsan, tsan, or leave it empty.")
endif()

if(JPROF_SANITIZER)
  add_compile_options(${_sanitizer_flags})
  add_link_options(${_sanitizer_flags})
endif()

# JPROF_CHECK (sigsafe/base/check.h): not in what ships.
if(JPROF_SANITIZER OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(_checks_by_default ON)
else()
  set(_checks_by_default OFF)
endif()
option(JPROF_CHECKS "Verify preconditions and invariants, and trap where one is broken" ${_checks_by_default})
if(JPROF_CHECKS)
  add_compile_definitions(JPROF_CHECKS)
endif()
