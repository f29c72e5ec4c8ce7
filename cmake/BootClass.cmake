# The Java classes of the agent, compiled for Java 8 and up, as bytes in C++ sources: the agent defines
# them in the JVM.
find_package(Java REQUIRED COMPONENTS Development)

# jprof_boot_class(<module> <class> <header> <constant>): src/<module>/java/<class>.java as <constant>,
# which <header> declares.
function(jprof_boot_class module class header constant)
  set(source ${CMAKE_SOURCE_DIR}/src/${module}/java/${class}.java)
  set(folder ${CMAKE_BINARY_DIR}/generated/boot_class)
  set(output ${CMAKE_BINARY_DIR}/generated/${class}_bytes.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${Java_JAVAC_EXECUTABLE} --release 8 -encoding UTF-8 -g:none -Xlint:all,-options -Werror
            -d ${folder} ${source}
    COMMAND ${CMAKE_COMMAND} -DBYTES=${folder}/java/jprof/${class}.class -DOUTPUT=${output}
            -DHEADER=${header} -DCONSTANT=${constant} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    VERBATIM COMMENT "Compiling ${class}.java")
  profiler_target_name(${module} target)
  target_sources(${target} PRIVATE ${output})
  add_custom_target(generated_${class} DEPENDS ${output})
  add_dependencies(generated_sources generated_${class})
endfunction()

jprof_boot_class(engines/trace MethodProbes engines/trace/probe_class.h kProbeClassBytes)
jprof_boot_class(engines/lock ParkProbes engines/lock/park_probes.h kParkProbesBytes)
jprof_boot_class(engines/lock VirtualProbes engines/lock/virtual_probes.h kVirtualProbesBytes)
