# The libraries of `scripts/bench account`: libprofiler.so without a part of its handler
# (src/sigsafe/sampling/left_out.h), and libprofiler.so that measures its handlers
# (src/sigsafe/sampling/handler_times.h). Built on request: the target account_libraries. They do not
# exist in presets that compile each file once, such as that of scripts/tidy.
if(JPROF_SANITIZER OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
  return()
endif()

add_custom_target(account_libraries)
get_target_property(_sources jprof_sigsafe_sampling SOURCES)
list(FILTER _sources INCLUDE REGEX "\\.cc$")
get_target_property(_objects profiler SOURCES)
list(REMOVE_ITEM _objects $<TARGET_OBJECTS:jprof_sigsafe_sampling>)
foreach(_variant IN ITEMS without_writing=JPROF_LEFT_OUT=kWriting without_walking=JPROF_LEFT_OUT=kWalking
                          without_handler=JPROF_LEFT_OUT=kHandler timed=JPROF_TIMES_HANDLERS)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" _ ${_variant})
  set(_target profiler_${CMAKE_MATCH_1})
  set(_definition ${CMAKE_MATCH_2})
  # Objects come before archives, so the linker takes nothing of the whole module from its archive.
  add_library(${_target} SHARED EXCLUDE_FROM_ALL ${_sources} ${_objects})
  foreach(_property IN ITEMS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
    set_property(TARGET ${_target} PROPERTY ${_property}
      $<TARGET_PROPERTY:jprof_sigsafe_sampling,${_property}>)
  endforeach()
  target_compile_options(${_target} PRIVATE ${JPROF_GLIBC_OPTIONS})
  target_compile_definitions(${_target} PRIVATE ${_definition})
  set_target_properties(${_target} PROPERTIES LINKER_LANGUAGE CXX
    LINK_OPTIONS "$<TARGET_PROPERTY:profiler,LINK_OPTIONS>"
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/account)
  target_link_libraries(${_target} PRIVATE jprof_agent)
  add_dependencies(account_libraries ${_target})
endforeach()
target_sources(profiler_timed PRIVATE ${CMAKE_SOURCE_DIR}/test/bench/handler_times_file.cc)
