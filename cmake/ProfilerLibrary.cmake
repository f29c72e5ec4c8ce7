# libprofiler.so: contains all modules, and resolves all symbols when it is loaded. Its options:
#
#   -z now, relro   no lazy resolver runs in a handler, and no code can rewrite the tables
#   -z nodelete     handlers and JVMTI callbacks can still point into the library after a dlclose
#   static runtime  no libstdc++ or libgcc of another version can replace ours
#
# Modules with exported symbols are linked as objects. From an archive the linker would take only
# the files to which others refer.
add_library(profiler SHARED $<TARGET_OBJECTS:jprof_agent> $<TARGET_OBJECTS:jprof_sigsafe_sampling>
  $<TARGET_OBJECTS:jprof_sigsafe_asgst> $<TARGET_OBJECTS:jprof_asgst>
  $<TARGET_OBJECTS:jprof_glibc>)
set_target_properties(profiler PROPERTIES LINKER_LANGUAGE CXX
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/profiler.map)
target_link_libraries(profiler PRIVATE jprof_agent)
target_link_options(profiler PRIVATE
  -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,--gc-sections
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/profiler.map -Wl,--exclude-libs,ALL)
if(NOT JPROF_SANITIZER)
  target_link_options(profiler PRIVATE -static-libstdc++ -static-libgcc -Wl,--no-undefined)
endif()
