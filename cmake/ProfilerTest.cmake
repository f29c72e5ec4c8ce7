# Functions that declare tests. The labels of a test:
#
#   long, clients  belongs to one of these tiers (CONTRIBUTING.md)
#   jvm            starts real JVMs; sanitizer builds have no such tests
#   input          reads untrusted bytes; the short tier also runs it under AddressSanitizer and UBSan
#   check          checks the code itself
#   model          checks the protocols that the code follows (test/model/README.md)
find_package(GTest REQUIRED)
find_package(Libunwind REQUIRED)
include(GoogleTest)

# Options for the sources of tests, which halve the time to compile them. They do not apply to the
# code under test.
set(JPROF_TEST_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O1> -g1)

# Uses gold if it is installed, which halves the time to link.
find_program(JPROF_GOLD ld.gold)
set(JPROF_TEST_LINKER $<$<BOOL:${JPROF_GOLD}>:-fuse-ld=gold>)

# Parses gtest, gmock and the standard library once for all tests, because this takes most of the
# time to compile a test.
file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cc "int main() {}\n")
add_executable(jprof_test_headers ${CMAKE_BINARY_DIR}/test_headers.cc)
target_link_libraries(jprof_test_headers PRIVATE GTest::gmock)
target_compile_options(jprof_test_headers PRIVATE ${JPROF_TEST_OPTIONS})
target_precompile_headers(jprof_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
  <algorithm> <array> <atomic> <cerrno> <cmath> <csignal> <cstdint> <cstdio> <cstdlib> <cstring> <filesystem>
  <fstream> <functional> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream> <string> <string_view>
  <thread> <utility> <vector>)

# Build the programs of the tests with the label `clients` or `input`.
add_custom_target(client_tests)
add_custom_target(input_tests)

# profiler_test(<dir> SOURCES <x_test.cc>... DEPS <module dir>... [LABELS <label>...] [TIMEOUT s])
#
# Declares the gtest executable of a module. Its sources are in test/<dir>.
function(profiler_test dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;DEPS;LABELS")
  string(REPLACE "/" "_" target "${dir}_test")
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/test/${dir}/)
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${JPROF_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/test ${CMAKE_SOURCE_DIR}/src)
  foreach(dep IN LISTS arg_DEPS)
    profiler_target_name(${dep} dep_target)
    target_link_libraries(${target} PRIVATE ${dep_target})
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main)
  target_precompile_headers(${target} REUSE_FROM jprof_test_headers)
  target_compile_options(${target} PRIVATE ${JPROF_TEST_OPTIONS})
  target_link_options(${target} PRIVATE ${JPROF_TEST_LINKER})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT})
  if("input" IN_LIST arg_LABELS)
    add_dependencies(input_tests ${target})
  endif()
  if(arg_LABELS)
    list(JOIN arg_LABELS "\\;" labels)  # escaped, or gtest_discover_tests would split the list
    list(APPEND properties LABELS "${labels}")
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

# profiler_check(<name> COMMAND <command>... [EXPECT_FAILURE <text>...] [TIMEOUT s])
#
# Declares a ctest case that runs a command; the exit code 77 means skipped. With EXPECT_FAILURE,
# the command must fail and its output must contain every text. This form proves that a check finds
# a violation.
function(profiler_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;EXPECT_FAILURE")
  if(arg_EXPECT_FAILURE)
    list(PREPEND arg_COMMAND ${CMAKE_SOURCE_DIR}/test/cmake/expect_failure.sh ${arg_EXPECT_FAILURE} --)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS check TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()
