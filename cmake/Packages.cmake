# Rules of `cmake --install` and of the packages of `cpack`. scripts/release makes packages in all
# formats. `cpack` itself makes .tar.gz and .deb; .rpm needs rpmbuild (cpack -G RPM).
#
#   bin/jprof, lib/libprofiler.so          stripped; jprof finds the library by ../lib
#   lib/debug/.build-id/NN/REST.debug      symbols of both, where gdb and perf look (component debug)
#   lib/jprof.jar                          the Java API; it finds the library in its own folder
#   lib/jprof-opentelemetry.jar            the extension of OpenTelemetry's javaagent
#   include/profiler, lib/pkgconfig        the C API
#   share                                  manual page, completions, licence
#   share/doc/jprof                        README.md, docs/ and examples/, with links that work there
#
# The folder is lib for every prefix, not lib/x86_64-linux-gnu: the library is loaded by its path.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(CMAKE_INSTALL_PREFIX /usr/local CACHE PATH "" FORCE)
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

find_program(JPROF_OBJCOPY ${JPROF_TOOL_PREFIX}objcopy REQUIRED)
find_program(JPROF_READELF ${JPROF_TOOL_PREFIX}readelf REQUIRED)
set(_split "${CMAKE_COMMAND}" -DOBJCOPY=${JPROF_OBJCOPY} -DREADELF=${JPROF_READELF})
list(JOIN _split "\" \"" _split)

# profiler_install_split(<target> <destination>): installs the file of a target without its symbols,
# and installs the symbols under its build id.
function(profiler_install_split target destination)
  foreach(component IN ITEMS runtime debug)
    install(CODE "
      execute_process(COMMAND \"${_split}\" -DPART=${component} \"-DFILE=$<TARGET_FILE:${target}>\"
        \"-DDESTINATION=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${destination}\"
        \"-DDEBUG_FOLDER=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/debug/.build-id\"
        -P \"${CMAKE_SOURCE_DIR}/cmake/install_split.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT ${component})
  endforeach()
endfunction()

profiler_install_split(profiler lib)
profiler_install_split(jprof bin)
install(FILES ${JPROF_JAR} ${JPROF_OPENTELEMETRY_JAR} DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/profiler DESTINATION include FILES_MATCHING PATTERN *.h)
configure_file(${CMAKE_SOURCE_DIR}/cmake/profiler.pc.in ${CMAKE_BINARY_DIR}/profiler.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/profiler.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/THIRD-PARTY DESTINATION share/doc/jprof)
install(CODE "
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DSOURCE=${CMAKE_SOURCE_DIR}\"
    \"-DDESTINATION=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/jprof\"
    -P \"${CMAKE_SOURCE_DIR}/cmake/install_docs.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT runtime)

# Only the program can print its manual page and its completions (cmake/ProfilerCommand.cmake). A
# cross build installs those of a native build.
set(JPROF_TEXTS "" CACHE PATH "Cross build: the folder share of a native build of the same commit")
if(NOT CMAKE_CROSSCOMPILING)
  set(JPROF_TEXTS ${CMAKE_BINARY_DIR}/share)
endif()
if(JPROF_TEXTS)
  foreach(_folder IN ITEMS man bash-completion zsh fish)
    install(DIRECTORY ${JPROF_TEXTS}/${_folder} DESTINATION share)
  endforeach()
endif()

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME jprof)
set(CPACK_PACKAGE_VENDOR jprof)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler for Java: CPU and wall clock, written as JFR")
set(CPACK_PACKAGE_DESCRIPTION "\
jprof records running JVMs, and shows where threads use CPU time, what they wait
for, which objects they allocate, and which of these stay alive. The recordings
are JFR files. jprof converts them to flame graphs and other formats.")
set(CPACK_PACKAGE_CONTACT "the developers of jprof <jprof@localhost>")
set(CPACK_PACKAGE_FILE_NAME jprof-${PROJECT_VERSION}-linux-${JPROF_ARCHITECTURE})
set(CPACK_COMPONENTS_ALL runtime debug)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_RUNTIME_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_ARCHIVE_DEBUG_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}-debug)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_layout.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME jprof)
set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME jprof-dbgsym)
set(CPACK_DEBIAN_RUNTIME_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEBUG_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION java)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.17)")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "symbols of jprof for debuggers and perf")
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "jprof (= ${PROJECT_VERSION})")
if(CMAKE_CROSSCOMPILING AND JPROF_ARCHITECTURE STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # the default is that of the machine
endif()
include(RpmPackages)
# Gives all files of a package the time SOURCE_DATE_EPOCH, so that two builds make the same bytes.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/set_package_times.cmake)
include(CPack)
