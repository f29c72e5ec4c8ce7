# The flame graph's page (src/formats/page/) as a C++ source of the module formats: the page
# with its styles and scripts merged in, in the order given here.
set(_folder ${CMAKE_SOURCE_DIR}/src/formats/page)
set(_scripts "")
foreach(name IN ITEMS
    profile/profile profile/selection profile/forward_tree profile/reverse_tree profile/line_tree
    profile/sources profile/events
    graph/layout graph/canvas graph/colours graph/timeline graph/tooltip number_text state
    panels/row_window panels/methods panels/call_tree panels/source panels/calls panels/events
    controls/popups controls/choices controls/splitter
    app actions controls/controls main)
  list(APPEND _scripts ${_folder}/${name}.js)
endforeach()
list(JOIN _scripts "|" _joined)
set(_output ${CMAKE_BINARY_DIR}/generated/flame_graph_page.cc)
add_custom_command(
  OUTPUT ${_output}
  COMMAND ${CMAKE_COMMAND} -DPAGE=${_folder}/page.html -DSTYLES=${_folder}/page.css
          "-DSCRIPTS=${_joined}" -DOUTPUT=${_output} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${_folder}/page.html ${_folder}/page.css ${_scripts} ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake
  VERBATIM COMMENT "Merging the flame graph's page")
add_custom_target(generated_sources DEPENDS ${_output})
target_sources(jprof_formats PRIVATE ${_output})
