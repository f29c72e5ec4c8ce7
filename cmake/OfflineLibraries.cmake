# Libraries that are linked statically: jprof_zlib, also into the agent, and jprof_re2. They come
# from Debian's packages for the target architecture (scripts/bootstrap). A cross build without the
# packages can compile the library and jprof, but not link them.
function(profiler_offline_library target header archive)
  add_library(${target} INTERFACE)
  if(CMAKE_CROSSCOMPILING)
    find_library(${target}_ARCHIVE ${archive})
    if(NOT ${target}_ARCHIVE)
      message(STATUS "No ${archive} for ${CMAKE_SYSTEM_PROCESSOR}: neither half can be linked")
      return()
    endif()
  endif()
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_ARCHIVE ${archive} REQUIRED)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_ARCHIVE})
endfunction()
# protozero has only headers.
find_path(JPROF_PROTOZERO_INCLUDE protozero/pbf_builder.hpp REQUIRED)
add_library(jprof_protozero INTERFACE)
target_include_directories(jprof_protozero SYSTEM INTERFACE ${JPROF_PROTOZERO_INCLUDE})

profiler_offline_library(jprof_zlib zlib.h libz.a)
profiler_offline_library(jprof_re2 re2/re2.h libre2.a)
# From its release of June 2023 on, re2 calls abseil, whose archives call each other.
if(jprof_re2_ARCHIVE)
  file(STRINGS ${jprof_re2_INCLUDE}/re2/re2.h _uses_abseil REGEX "#include \"absl/")
  get_filename_component(_folder ${jprof_re2_ARCHIVE} DIRECTORY)
  file(GLOB _abseil ${_folder}/libabsl_*.a)
  if(_uses_abseil)
    target_link_libraries(jprof_re2 INTERFACE -Wl,--start-group ${_abseil} -Wl,--end-group)
  endif()
endif()
