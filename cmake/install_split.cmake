# Installs the ELF file FILE in DESTINATION without its symbols (PART=runtime), or installs its
# symbols in DEBUG_FOLDER under its build id, where gdb and perf look for them (PART=debug). OBJCOPY
# and READELF are the paths of the tools.
get_filename_component(name ${FILE} NAME)

if(PART STREQUAL runtime)
  file(MAKE_DIRECTORY ${DESTINATION})
  execute_process(COMMAND ${OBJCOPY} --strip-all ${FILE} ${DESTINATION}/${name}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${DESTINATION}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
       GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  message(STATUS "Installing: ${DESTINATION}/${name}")
  return()
endif()

execute_process(COMMAND ${READELF} --notes ${FILE} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
  message(FATAL_ERROR "${FILE} has no build id: link it with -Wl,--build-id.")
endif()
set(debug ${DEBUG_FOLDER}/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.debug)
file(MAKE_DIRECTORY ${DEBUG_FOLDER}/${CMAKE_MATCH_1})
execute_process(COMMAND ${OBJCOPY} --only-keep-debug --compress-debug-sections=zlib ${FILE} ${debug}
                COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${debug} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
message(STATUS "Installing: ${debug}")
