# Parses the most used headers of the standard library and the system once for all modules with the
# same options. src/CMakeLists.txt includes this file after everything that sets options. The
# presets aarch64, tidy and fuzz have no precompiled headers: there the build fails if a file does
# not include what it uses.
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
  # Modules that differ only in these options can share a precompiled header.
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
