# Libraries of jprof alone, linked statically: jprof_zlib, jprof_re2. Debian's packages, of the
# architecture that is built for (scripts/bootstrap). A cross build without them has no jprof.
function(profiler_offline_library target header archive)
  add_library(${target} INTERFACE)
  if(CMAKE_CROSSCOMPILING)
    find_library(${target}_ARCHIVE ${archive})
    if(NOT ${target}_ARCHIVE)
      message(STATUS "No ${archive} for ${CMAKE_SYSTEM_PROCESSOR}: jprof cannot be linked")
      return()
    endif()
  endif()
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_ARCHIVE ${archive} REQUIRED)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_ARCHIVE})
endfunction()
# Headers only.
find_path(JPROF_PROTOZERO_INCLUDE protozero/pbf_builder.hpp REQUIRED)
add_library(jprof_protozero INTERFACE)
target_include_directories(jprof_protozero SYSTEM INTERFACE ${JPROF_PROTOZERO_INCLUDE})

profiler_offline_library(jprof_zlib zlib.h libz.a)
profiler_offline_library(jprof_re2 re2/re2.h libre2.a)
