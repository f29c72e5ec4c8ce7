# JPROF_SANITIZER: empty, asan-ubsan or tsan. Tests that start a JVM do not run under a sanitizer.
set(JPROF_SANITIZER "" CACHE STRING "Sanitizer of this build: empty, asan-ubsan or tsan")

if(JPROF_SANITIZER STREQUAL "asan-ubsan")
  # The check vptr is off because it reads memory through a pipe: in a test that leaves no free
  # descriptor, it reports every object as invalid.
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

# JPROF_CHECKS enables JPROF_CHECK (sigsafe/base/check.h), which is off in releases.
if(JPROF_SANITIZER OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(_checks_by_default ON)
else()
  set(_checks_by_default OFF)
endif()
option(JPROF_CHECKS "Verify preconditions and invariants, and trap where one is broken" ${_checks_by_default})
if(JPROF_CHECKS)
  add_compile_definitions(JPROF_CHECKS)
endif()
