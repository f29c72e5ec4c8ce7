# Run by JavaLibrary.cmake: FOLDER as the jar OUTPUT, by the tool JAR; entries in the order of their names.
file(GLOB_RECURSE _files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT _files)
execute_process(
  COMMAND ${JAR} --create --file ${OUTPUT} --date=2020-01-01T00:00:00Z --manifest ${MANIFEST} ${_files}
  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
