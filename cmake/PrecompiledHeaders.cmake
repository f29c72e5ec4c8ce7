# Parses the headers of the standard library and of the system that most files include once for all
# modules with the same options. src/CMakeLists.txt includes this file after everything that sets
# options. Builds without precompiled headers (the presets aarch64, tidy and fuzz) fail if a file
# does not include what it uses.
set(_headers <algorithm> <array> <atomic> <cerrno> <charconv> <cmath> <csignal> <cstddef> <cstdint> <cstdio>
  <cstdlib> <cstring> <fcntl.h> <functional> <limits> <map> <memory> <mutex> <optional> <span> <string>
  <string_view> <sys/stat.h> <unistd.h> <unordered_map> <utility> <vector>)
if(NOT JPROF_SANITIZER)
  list(PREPEND _headers ${CMAKE_SOURCE_DIR}/cmake/${JPROF_GLIBC_SYMBOLS})
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/no_code.cc CONTENT "")

get_property(_modules GLOBAL PROPERTY JPROF_MODULES)
foreach(_module IN LISTS _modules)
  profiler_target_name(${_module} _target)
  get_target_property(_options ${_target} COMPILE_OPTIONS)
  # These options do not change what a header is parsed to.
  list(FILTER _options EXCLUDE REGEX "unwind-tables|frame-larger-than")
  string(MD5 _name "${_options}")
  string(SUBSTRING ${_name} 0 8 _name)
  set(_name jprof_headers_${_name})
  if(NOT TARGET ${_name})
    add_library(${_name} OBJECT ${CMAKE_BINARY_DIR}/generated/no_code.cc)
    set_target_properties(${_name} PROPERTIES COMPILE_OPTIONS "${_options}")
    target_precompile_headers(${_name} PRIVATE ${_headers})
  endif()
  target_precompile_headers(${_target} REUSE_FROM ${_name})
endforeach()
