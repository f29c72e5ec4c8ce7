# Packs FOLDER into the jar OUTPUT with the tool JAR, the entries in the order of their names. Run
# by JavaLibrary.cmake.
file(GLOB_RECURSE _files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT _files)
execute_process(
  COMMAND ${JAR} --create --file ${OUTPUT} --date=2020-01-01T00:00:00Z --manifest ${MANIFEST} ${_files}
  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
