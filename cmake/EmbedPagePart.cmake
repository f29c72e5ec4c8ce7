# Merges the files of a part of the page into one C++ source. Run as a script by the build:
#   cmake -DNAME=<constant> -DSTYLES=<css> -DELEMENTS=<html> -DSCRIPTS=<js|js...> -DHEADER=<h> -DOUTPUT=<cc>
#         -P EmbedPagePart.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/squeeze_page_text.cmake)

string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
squeeze_page_text(styles ${STYLES})
squeeze_page_text(elements ${ELEMENTS})
squeeze_page_text(scripts ${SCRIPTS})

file(WRITE ${OUTPUT}
  "#include \"${HEADER}\"\n\n"
  "namespace jprof {\n\n"
  "const PagePartText ${NAME} = {\n"
  "    R\"jprof_page(${styles})jprof_page\",\n"
  "    R\"jprof_page(${elements})jprof_page\",\n"
  "    R\"jprof_page(${scripts})jprof_page\"};\n\n"
  "}  // namespace jprof\n")
