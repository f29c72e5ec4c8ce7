# Merges a page, its styles and its scripts into one C++ source. Run as a script by the build:
#   cmake -DPAGE=<page.html> -DSTYLES=<css> -DSCRIPTS=<js|js...> -DSTART=<js> -DOUTPUT=<cc> -P EmbedPage.cmake
# The page says where, each on a line of its own: @STYLES@, @SCRIPTS@ and @START@, the script that runs them;
# @PART_STYLES@, @PART_ELEMENTS@, @DATA@ and @PART_SCRIPTS@, in this order, at which the page is cut:
# parts and data stand there.
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

set(pieces "")
foreach(mark IN ITEMS "@PART_STYLES@\n" "@PART_ELEMENTS@\n" "@DATA@" "@PART_SCRIPTS@\n")
  string(FIND "${rest}" "${mark}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} has no ${mark}")
  endif()
  string(SUBSTRING "${rest}" 0 ${at} piece)
  string(LENGTH "${mark}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  string(APPEND pieces "    R\"jprof_page(${piece})jprof_page\",\n")
endforeach()

file(WRITE ${OUTPUT}
  "#include \"formats/page/page_text.h\"\n\n"
  "// The standard asks compilers for 64 KB of a literal; ours take more.\n"
  "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
  "namespace jprof {\n\n"
  "const PageText kPageText = {\n${pieces}    R\"jprof_page(${rest})jprof_page\"};\n\n"
  "}  // namespace jprof\n")
