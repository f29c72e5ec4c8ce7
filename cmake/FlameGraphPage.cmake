# The flame graph's page (src/formats/flame_graph/) as a C++ source of the module formats: the page
# with its styles and scripts merged in, in the order given here.
set(_folder ${CMAKE_SOURCE_DIR}/src/formats/flame_graph)
set(_scripts "")
foreach(name IN ITEMS
    data model reverse layout colours number_text state canvas table timeline menu app tooltip actions main)
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
target_sources(jprof_formats PRIVATE ${_output})
