# The Java class of the module engines/trace (java/MethodProbes.java), compiled for Java 8 and up, as
# bytes in a C++ source: the agent defines it in the JVM.
find_package(Java REQUIRED COMPONENTS Development)
set(_source ${CMAKE_SOURCE_DIR}/src/engines/trace/java/MethodProbes.java)
set(_folder ${CMAKE_BINARY_DIR}/generated/boot_class)
set(_output ${CMAKE_BINARY_DIR}/generated/probe_class_bytes.cc)
add_custom_command(
  OUTPUT ${_output}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${_folder}
  COMMAND ${Java_JAVAC_EXECUTABLE} --release 8 -encoding UTF-8 -g:none -Xlint:all,-options -Werror
          -d ${_folder} ${_source}
  COMMAND ${CMAKE_COMMAND} -DBYTES=${_folder}/java/jprof/MethodProbes.class -DOUTPUT=${_output}
          -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
  DEPENDS ${_source} ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
  VERBATIM COMMENT "Compiling MethodProbes.java")
target_sources(jprof_engines_trace PRIVATE ${_output})
add_custom_target(generated_probe_class DEPENDS ${_output})
add_dependencies(generated_sources generated_probe_class)
