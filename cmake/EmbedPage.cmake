# Merges a page, its styles, elements and scripts into one C++ source. Run as a script by the build:
#   cmake -DPAGE=<page.html> -DSTYLES=<css|css...> -DELEMENTS=<html|html...> -DSCRIPTS=<js|js...> -DSTART=<js>
#         -DOUTPUT=<cc> -P EmbedPage.cmake
# The page marks where they go, each on a line of its own: @STYLES@, @ELEMENTS@, @SCRIPTS@ and
# @START@ (the script that runs the others). @DATA@ marks where the data goes. The source contains
# everything except the data, in packed form (formats/page/page_writer.h).
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/squeeze_page_text.cmake)

squeeze_page_text(whole ${PAGE})
foreach(mark IN ITEMS STYLES ELEMENTS SCRIPTS START)
  string(REPLACE "|" ";" files "${${mark}}")
  squeeze_page_text(text ${files})
  string(REPLACE "@${mark}@\n" "${text}" whole "${whole}")
endforeach()
string(FIND "${whole}" "@DATA@" data_at)
if(data_at EQUAL -1)
  message(FATAL_ERROR "${PAGE} has no @DATA@")
endif()
string(REPLACE "@DATA@" "" whole "${whole}")

file(WRITE ${OUTPUT}.html "${whole}")
file(SIZE ${OUTPUT}.html bytes)
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.gz PATHS ${OUTPUT}.html FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
file(READ ${OUTPUT}.gz gzip HEX)
file(REMOVE ${OUTPUT}.gz ${OUTPUT}.html)
string(REGEX REPLACE "(................................)" "\\1\n" gzip "${gzip}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " gzip "${gzip}")

file(WRITE ${OUTPUT}
  "#include \"formats/page/page_writer.h\"\n\n"
  "namespace jprof {\n"
  "namespace {\n\n"
  "constexpr uint8_t kGzip[] = {\n${gzip}};\n\n"
  "}  // namespace\n\n"
  "const PackedPage kPackedPage = {kGzip, ${bytes}, ${data_at}};\n\n"
  "}  // namespace jprof\n")
