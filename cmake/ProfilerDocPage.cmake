# profiler_doc_page(<name> <page> MODULE <dir> [SOURCES <file>...]): declares a page of docs/ that
# is generated from tables. The page is kept in git, so that it can be read there. <name>.cc and
# SOURCES are the generator (test/support/doc_main.h). The target update_<name> writes the page, and
# the check <name>_is_current compares it.
function(profiler_doc_page name page)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "MODULE" "SOURCES")
  profiler_target_name(${arg_MODULE} module)
  add_executable(${name} ${name}.cc ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(${name} PRIVATE ${module})
  add_custom_target(update_${name}
    COMMAND ${name} write ${CMAKE_SOURCE_DIR}/${page}
    COMMENT "Writing ${page}")
  profiler_check(${name}_is_current COMMAND ${name} check ${CMAKE_SOURCE_DIR}/${page})
endfunction()
