# Merges a page, its styles and its scripts into one C++ source. Run as a script by the build:
#   cmake -DPAGE=<page.html> -DSTYLES=<css> -DSCRIPTS=<js|js...> -DSTART=<js> -DOUTPUT=<cc> -P EmbedPage.cmake
# The page says where, each on a line of its own: @STYLES@, @SCRIPTS@ and @START@, the script that runs them;
# @PART_STYLES@, @PART_ELEMENTS@, @DATA@ and @PART_SCRIPTS@, in this order, at which the page is cut:
# parts and data stand there. The source has it packed (formats/page/inflate.h).
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/squeeze_page_text.cmake)

string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
squeeze_page_text(rest ${PAGE})
squeeze_page_text(styles ${STYLES})
squeeze_page_text(scripts ${SCRIPTS})
squeeze_page_text(start ${START})
string(REPLACE "@STYLES@\n" "${styles}" rest "${rest}")
string(REPLACE "@SCRIPTS@\n" "${scripts}" rest "${rest}")
string(REPLACE "@START@\n" "${start}" rest "${rest}")

set(whole "")
set(sizes "")
foreach(mark IN ITEMS "@PART_STYLES@\n" "@PART_ELEMENTS@\n" "@DATA@" "@PART_SCRIPTS@\n")
  string(FIND "${rest}" "${mark}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} has no ${mark}")
  endif()
  string(SUBSTRING "${rest}" 0 ${at} piece)
  string(LENGTH "${mark}" length)
  string(APPEND whole "${piece}")
  string(APPEND sizes "${at}, ")
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rest}" ${at} -1 rest)
endforeach()
string(LENGTH "${rest}" length)
string(APPEND whole "${rest}")
string(APPEND sizes "${length}")

# Of a gzip file: its header of 10 bytes without options, DEFLATE, a checksum and a size of 4 bytes each.
file(WRITE ${OUTPUT}.html "${whole}")
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.gz PATHS ${OUTPUT}.html FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
file(READ ${OUTPUT}.gz bytes HEX)
file(REMOVE ${OUTPUT}.gz ${OUTPUT}.html)
if(NOT bytes MATCHES "^1f8b0800")
  message(FATAL_ERROR "This cmake writes gzip files with options in the header: change ${CMAKE_CURRENT_LIST_FILE}")
endif()
string(LENGTH "${bytes}" length)
math(EXPR length "${length} - 36")
string(SUBSTRING "${bytes}" 20 ${length} bytes)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")

file(WRITE ${OUTPUT}
  "#include \"formats/page/page_text.h\"\n\n"
  "namespace jprof {\n"
  "namespace {\n\n"
  "constexpr uint8_t kBytes[] = {\n${bytes}};\n\n"
  "}  // namespace\n\n"
  "const PackedPage kPackedPage = {kBytes, {${sizes}}};\n\n"
  "}  // namespace jprof\n")
