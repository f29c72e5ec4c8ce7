# profiler_test(<dir> SOURCES <x_test.cc>... DEPS <module dir>... [LABELS <label>...] [TIMEOUT s])
#
# One gtest executable per module, its sources under test/<dir>. Labels: `long` is left out of the
# short tier, `jvm` starts real JVMs (left out of sanitizer builds).
find_package(GTest REQUIRED)
include(GoogleTest)

function(profiler_test dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;DEPS;LABELS")
  string(REPLACE "/" "_" target "${dir}_test")
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/test/${dir}/)
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/test ${CMAKE_SOURCE_DIR}/src)
  foreach(dep IN LISTS arg_DEPS)
    profiler_target_name(${dep} dep_target)
    target_link_libraries(${target} PRIVATE ${dep_target})
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
