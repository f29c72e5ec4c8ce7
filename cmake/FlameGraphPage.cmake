# The flame graph's page as C++ sources: that of the module formats (src/formats/page), with its styles and
# scripts merged in in the order given here, and the parts that formats/full_page adds.
add_custom_target(generated_sources)

# profiler_page_source(<module> <source> SCRIPT <of cmake/> FILES <file>... ARGUMENTS <of the script>...)
function(profiler_page_source module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SCRIPT" "FILES;ARGUMENTS")
  set(output ${CMAKE_BINARY_DIR}/generated/${name}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} ${arg_ARGUMENTS} -DOUTPUT=${output} -P ${CMAKE_SOURCE_DIR}/cmake/${arg_SCRIPT}
    DEPENDS ${arg_FILES} ${CMAKE_SOURCE_DIR}/cmake/${arg_SCRIPT} ${CMAKE_SOURCE_DIR}/cmake/squeeze_page_text.cmake
    VERBATIM COMMENT "Merging the page: ${name}")
  add_custom_target(generate_${name} DEPENDS ${output})
  add_dependencies(generated_sources generate_${name})
  profiler_target_name(${module} target)
  target_sources(${target} PRIVATE ${output})
endfunction()

# The paths of scripts, by name, in a folder.
function(profiler_page_scripts out folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  list(TRANSFORM ARGN APPEND .js)
  set(${out} ${ARGN} PARENT_SCOPE)
endfunction()

set(_folder ${CMAKE_SOURCE_DIR}/src/formats/page)
profiler_page_scripts(_scripts ${_folder}
  parts controls/tables profile/profile profile/selection profile/forward_tree profile/reverse_tree
  graph/layout graph/canvas graph/colours graph/timeline graph/tooltip number_text state
  panels/row_window panels/methods panels/call_tree
  controls/popups controls/choices controls/splitter
  app actions controls/controls)
list(JOIN _scripts "|" _joined)
profiler_page_source(formats flame_graph_page SCRIPT EmbedPage.cmake
  FILES ${_folder}/page.html ${_folder}/page.css ${_folder}/main.js ${_scripts}
  ARGUMENTS -DPAGE=${_folder}/page.html -DSTYLES=${_folder}/page.css -DSTART=${_folder}/main.js
            "-DSCRIPTS=${_joined}")

# profiler_page_part(<folder> <constant> <script>...): <folder>/<folder>.html and .css, and the scripts.
function(profiler_page_part part constant)
  set(folder ${CMAKE_SOURCE_DIR}/src/formats/full_page/parts/${part})
  profiler_page_scripts(scripts ${folder} ${ARGN})
  list(JOIN scripts "|" joined)
  profiler_page_source(formats/full_page page_part_${part} SCRIPT EmbedPagePart.cmake
    FILES ${folder}/${part}.html ${folder}/${part}.css ${scripts}
    ARGUMENTS -DNAME=${constant} -DHEADER=formats/full_page/page_parts.h
              -DSTYLES=${folder}/${part}.css -DELEMENTS=${folder}/${part}.html "-DSCRIPTS=${joined}")
endfunction()

profiler_page_part(lines kLinesPart line_tree sources source_panel lines)
profiler_page_part(events kEventsPart event_types event_table events)
profiler_page_part(calls kCallsPart calls_panel calls)
