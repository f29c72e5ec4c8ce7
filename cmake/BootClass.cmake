# Compiles the Java classes of the agent for Java 8 and later, and embeds them as bytes in C++
# sources. The agent defines these classes in the JVM.
find_package(Java REQUIRED COMPONENTS Development)

# jprof_boot_class(<module> <package/class> <header> <constant> [WITH <file>...] [UNSAFE <package>])
#
# Embeds src/<module>/java/<class>.java as <constant>, which <header> declares. WITH names other
# files of that folder that are compiled together with it. UNSAFE names the package of the class
# Unsafe to import, instead of jdk.internal.misc.
function(jprof_boot_class module name header constant)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "UNSAFE" "WITH")
  get_filename_component(class ${name} NAME)
  set(folder ${CMAKE_BINARY_DIR}/generated/boot_class/${constant})
  set(output ${CMAKE_BINARY_DIR}/generated/${constant}.cc)
  set(sources "")
  foreach(file IN ITEMS ${class} LISTS arg_WITH)
    set(source ${CMAKE_SOURCE_DIR}/src/${module}/java/${file}.java)
    if(arg_UNSAFE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
      file(READ ${source} text)
      string(REPLACE "import jdk.internal.misc." "import ${arg_UNSAFE}." text "${text}")
      if(NOT file STREQUAL class)
        string(REPLACE "package jdk.internal.misc" "package ${arg_UNSAFE}" text "${text}")
      endif()
      set(source ${folder}/sources/${file}.java)
      file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    endif()
    list(APPEND sources ${source})
  endforeach()
  # javac compiles only the files that are named here, so that WITH has to name the others that it
  # needs.
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${Java_JAVAC_EXECUTABLE} --release 8 -encoding UTF-8 -g:none -Xlint:all,-options -Werror
            -d ${folder} ${sources}
    COMMAND ${CMAKE_COMMAND} -DBYTES=${folder}/${name}.class -DOUTPUT=${output}
            -DHEADER=${header} -DCONSTANT=${constant} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    VERBATIM COMMENT "Compiling ${name}.java")
  profiler_target_name(${module} target)
  target_sources(${target} PRIVATE ${output})
  add_custom_target(generated_${constant} DEPENDS ${output})
  add_dependencies(generated_sources generated_${constant})
endfunction()

jprof_boot_class(engines/method java/jprof/MethodProbes engines/method/probe_class.h kProbeClassBytes)
jprof_boot_class(engines/lock jdk/internal/misc/ParkProbes engines/lock/park_probes.h kParkProbesBytes
  WITH ParkTable ParkNatives ThreadFields compile_only/Unsafe)
jprof_boot_class(engines/lock jdk/internal/misc/ParkHolders engines/lock/park_probes.h
  kParkHoldersBytes WITH ParkProbes ParkTable ParkNatives ThreadFields compile_only/Unsafe)
jprof_boot_class(engines/lock jdk/internal/misc/ParkTable engines/lock/park_probes.h kParkTableBytes
  WITH ParkProbes ParkNatives ThreadFields compile_only/Unsafe)
jprof_boot_class(engines/lock java/jprof/ParkNatives engines/lock/park_probes.h kParkNativesBytes)
jprof_boot_class(engines/lock jdk/internal/misc/ThreadFields engines/lock/park_probes.h
  kThreadFieldsBytes WITH compile_only/Unsafe)
jprof_boot_class(engines/lock jdk/internal/misc/ThreadFields engines/lock/park_probes.h
  kThreadFieldsOfJdk8Bytes WITH compile_only/Unsafe UNSAFE sun.misc)
jprof_boot_class(engines/lock jdk/internal/misc/VirtualProbes engines/lock/virtual_lives.h
  kVirtualProbesBytes WITH VirtualNatives ParkProbes ParkTable ParkNatives ThreadFields compile_only/Unsafe)
jprof_boot_class(engines/lock jdk/internal/misc/EarlierWaits engines/lock/earlier_waits.h
  kEarlierWaitsBytes WITH ParkProbes ParkTable ParkNatives ThreadFields compile_only/Unsafe
  compile_only/ThreadContainer compile_only/ThreadContainers)
jprof_boot_class(engines/lock java/jprof/VirtualNatives engines/lock/virtual_lives.h
  kVirtualNativesBytes)
jprof_boot_class(engines/validate java/jprof/ShadowProbes engines/validate/entry_checks.h
  kShadowProbesBytes WITH compile_only/Unsafe)
jprof_boot_class(engines/validate java/jprof/ShadowProbes engines/validate/entry_checks.h
  kShadowProbesOfJdk8Bytes WITH compile_only/Unsafe UNSAFE sun.misc)
jprof_boot_class(engines/validate java/jprof/TimeProbes engines/validate/time_probes.h kTimeProbesBytes)
jprof_boot_class(agent java/jprof/Bridge agent/java_bridge.h kBridgeBytes WITH BridgeBean)
jprof_boot_class(agent java/jprof/BridgeBean agent/java_bridge.h kBridgeBeanBytes WITH Bridge)
