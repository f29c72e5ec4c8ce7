# profiler_module(<dir> [SIGNAL_SAFE | LOADER_LOCK] SOURCES <name>... [DEPS <dir>...])
#
# Declares the folder <dir>, relative to src/, as a module, which is one target: jprof_ and <dir>
# with '_' instead of '/'. SIGNAL_SAFE declares code that signal handlers run, and LOADER_LOCK code
# that runs under the dynamic linker's lock.
#
# SOURCES are names: `clock` stands for clock.h and clock.cc, and `options.def` for itself. If there
# are files for each processor, `registers` stands for registers_x64.h or registers_aarch64.h. Both
# are included as registers.h, a header in the build folder that includes the file for the target
# processor.
#
# DEPS are the modules that an #include of this module may reach. check_layering.py reads this graph
# from the file that profiler_write_module_graph() writes to the build folder.
set_property(GLOBAL PROPERTY JPROF_MODULES "")

# Makes CMake refuse a cycle of targets.
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

option(JPROF_UNITY "Compile the sources of a module as one: a whole build is quicker, after one change it is slower" ON)

# Binds functions of glibc to the versions of their symbols that old systems have.
set(JPROF_GLIBC_OPTIONS "")
if(NOT JPROF_SANITIZER)
  set(JPROF_GLIBC_OPTIONS -include ${CMAKE_SOURCE_DIR}/cmake/${JPROF_GLIBC_SYMBOLS})
endif()

# profiler_lone_sources(<file>... [OPTIONS <option>...]): compiles each of these files separately,
# without the precompiled headers and with these additional options.
function(profiler_lone_sources)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "OPTIONS")
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    list(APPEND arg_OPTIONS ${JPROF_GLIBC_OPTIONS})
  endif()
  set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${arg_OPTIONS}")
endfunction()

# Builds the modules whose code depends on the processor: those that are SIGNAL_SAFE or have files
# for one processor.
add_custom_target(processor_code)

function(profiler_target_name dir out)
  string(REPLACE "/" "_" name "jprof_${dir}")
  set(${out} ${name} PARENT_SCOPE)
endfunction()

function(profiler_module dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SIGNAL_SAFE;LOADER_LOCK" "" "SOURCES;DEPS")
  profiler_target_name(${dir} target)
  if(dir MATCHES "^sigsafe/" AND NOT arg_SIGNAL_SAFE)
    message(FATAL_ERROR "Module ${dir} lies in sigsafe/: declare it SIGNAL_SAFE, so that it is checked.")
  endif()

  set(sources "")
  foreach(name IN LISTS arg_SOURCES)
    set(of_processor ${name}_${JPROF_ARCHITECTURE})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/${of_processor}.h)
      file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/processor/${dir}/${name}.h CONTENT
        "#include \"${dir}/${of_processor}.h\"  // IWYU pragma: export\n")
      set(is_of_processor ON)
    endif()
    foreach(candidate IN ITEMS ${name} ${name}.h ${name}.cc ${of_processor}.h ${of_processor}.cc)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/${candidate} AND
         NOT IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/${candidate})
        list(APPEND sources ${dir}/${candidate})
        set(found_${name} ON)
      endif()
    endforeach()
    if(NOT found_${name})
      message(FATAL_ERROR "Module ${dir} names '${name}', but src/${dir}/${name}.h or .cc does not exist.")
    endif()
  endforeach()

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX
    UNITY_BUILD ${JPROF_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include
    ${CMAKE_BINARY_DIR}/processor)
  foreach(dep IN LISTS arg_DEPS)
    profiler_target_name(${dep} dep_target)
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()

  # The library has no runtime for exceptions (src/agent/exception_free_runtime.cc).
  target_compile_options(${target} PRIVATE -fno-exceptions)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)  # otherwise the options' header is precompiled
    target_compile_options(${target} PRIVATE ${JPROF_GLIBC_OPTIONS})
  endif()
  if(arg_SIGNAL_SAFE)
    target_compile_options(${target} PRIVATE -fno-rtti)
    if(NOT JPROF_SANITIZER)  # a sanitizer's instrumentation makes frames larger
      target_compile_options(${target} PRIVATE -Wframe-larger-than=4096)
    endif()
  endif()

  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND (arg_SIGNAL_SAFE OR arg_LOADER_LOCK))
    # Compiles atomics to instructions. The checks of symbols refuse calls of libgcc, which would be
    # the default.
    target_compile_options(${target} PRIVATE -mno-outline-atomics)
  endif()

  if(arg_SIGNAL_SAFE OR is_of_processor)
    add_dependencies(processor_code ${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY JPROF_MODULES ${dir})
  set_property(GLOBAL PROPERTY JPROF_DEPS_${dir} "${arg_DEPS}")
  set_property(GLOBAL PROPERTY JPROF_SIGNAL_SAFE_${dir} "${arg_SIGNAL_SAFE}")
  set_property(GLOBAL PROPERTY JPROF_LOADER_LOCK_${dir} "${arg_LOADER_LOCK}")
endfunction()

# Writes <build>/modules.txt, which has a line "dir: dep dep ..." for each module.
function(profiler_write_module_graph)
  get_property(modules GLOBAL PROPERTY JPROF_MODULES)
  set(text "")
  foreach(dir IN LISTS modules)
    get_property(deps GLOBAL PROPERTY JPROF_DEPS_${dir})
    list(JOIN deps " " deps)
    string(APPEND text "${dir}: ${deps}\n")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/modules.txt "${text}")
endfunction()

# profiler_objects_of(<flag> <out> [NOT]): sets <out> to the object files of every module with the
# flag (SIGNAL_SAFE or LOADER_LOCK) or, with NOT, of every module without it. They are generator
# expressions.
function(profiler_objects_of flag out)
  get_property(modules GLOBAL PROPERTY JPROF_MODULES)
  set(objects "")
  foreach(dir IN LISTS modules)
    get_property(has_flag GLOBAL PROPERTY JPROF_${flag}_${dir})
    if("${ARGN}" STREQUAL "NOT")
      set(is_wanted NOT has_flag)
    else()
      set(is_wanted has_flag)
    endif()
    if(${is_wanted})
      profiler_target_name(${dir} target)
      list(APPEND objects "$<TARGET_OBJECTS:${target}>")
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
