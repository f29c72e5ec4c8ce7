# The compiler flags of every target. ProfilerModule.cmake adds those of signal-safe modules.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/archive)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_compile_options(
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Wcast-qual -Wformat=2 -Wundef
  # Without this, code reaches thread-local variables by __tls_get_addr, because the library can be
  # loaded by dlopen. The first such call of a thread can allocate, even in a signal handler (ADR
  # 0001).
  -ftls-model=initial-exec
  -ffunction-sections -fdata-sections -fno-omit-frame-pointer
  # Includes functions and lines, which stack traces of gdb and perf need. The preset debug adds
  # variables.
  $<$<CONFIG:RelWithDebInfo>:-g1>)

# Uses ccache if it is installed. Precompiled headers need two settings: with CCACHE_SLOPPINESS,
# ccache accepts a different macro if the header does not use it; with -fpch-preprocess, gcc names
# the header in preprocessed text.
find_program(JPROF_CCACHE ccache)
find_program(JPROF_ENV env)
if(JPROF_CCACHE AND JPROF_ENV AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${JPROF_ENV} CCACHE_SLOPPINESS=pch_defines,time_macros ${JPROF_CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
  # GCC 12 warns wrongly where it inlines functions of std::string, because it takes the string's
  # small buffer for all of its content (GCC bug 105329).
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# JPROF_ARCHITECTURE: the target processor, as it appears in the names of files for one processor
# (ProfilerModule.cmake).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(JPROF_ARCHITECTURE aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(JPROF_ARCHITECTURE x64)
else()
  message(FATAL_ERROR "jprof knows x86-64 and AArch64, and not ${CMAKE_SYSTEM_PROCESSOR}.")
endif()
set(JPROF_GLIBC_SYMBOLS glibc_symbols_${JPROF_ARCHITECTURE}.h)
