# Turns the page into a C++ source of the module formats/page: page.html, into which its styles,
# elements and scripts are merged, in the order given here.
set(_folder ${CMAKE_SOURCE_DIR}/src/formats/page)
set(_styles page parts/lines/lines parts/events/events parts/calls/calls)
set(_elements parts/lines/lines parts/events/events parts/calls/calls)
set(_scripts
  parts controls/tables profile/profile profile/selection profile/forward_tree profile/reverse_tree
  graph/layout graph/canvas graph/colours graph/timeline graph/tooltip number_text state
  panels/row_window panels/methods panels/call_tree
  controls/popups controls/choices controls/splitter
  app actions controls/controls
  parts/lines/line_tree parts/lines/sources parts/lines/source_panel parts/lines/lines
  parts/events/event_types parts/events/event_table parts/events/events
  parts/calls/calls_panel parts/calls/calls)
list(TRANSFORM _styles REPLACE ".+" "${_folder}/\\0.css")
list(TRANSFORM _elements REPLACE ".+" "${_folder}/\\0.html")
list(TRANSFORM _scripts REPLACE ".+" "${_folder}/\\0.js")
list(JOIN _styles "|" _joined_styles)
list(JOIN _elements "|" _joined_elements)
list(JOIN _scripts "|" _joined_scripts)
set(_output ${CMAKE_BINARY_DIR}/generated/flame_graph_page.cc)
add_custom_command(
  OUTPUT ${_output}
  COMMAND ${CMAKE_COMMAND} -DPAGE=${_folder}/page.html -DSTART=${_folder}/main.js "-DSTYLES=${_joined_styles}"
    "-DELEMENTS=${_joined_elements}" "-DSCRIPTS=${_joined_scripts}" -DOUTPUT=${_output}
    -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${_folder}/page.html ${_folder}/main.js ${_styles} ${_elements} ${_scripts}
    ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake ${CMAKE_SOURCE_DIR}/cmake/squeeze_page_text.cmake
  VERBATIM COMMENT "Merging the page")
add_custom_target(generated_sources DEPENDS ${_output})
target_sources(jprof_formats_page PRIVATE ${_output})
