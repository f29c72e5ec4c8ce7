# Merges a page, its styles and its scripts into one C++ source. Run as a script by the build:
#   cmake -DPAGE=<page.html> -DSTYLES=<css> -DSCRIPTS=<js;js...> -DOUTPUT=<cc> -P EmbedPage.cmake
# The page says where: @STYLES@, @DATA@, @SCRIPTS@, each on a line of its own.
cmake_minimum_required(VERSION 3.25)

file(READ ${PAGE} page)
file(READ ${STYLES} styles)
set(scripts "")
string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
foreach(script IN LISTS SCRIPTS)
  file(READ ${script} text)
  string(APPEND scripts "${text}\n")
endforeach()

string(FIND "${page}" "@DATA@" data_at)
string(SUBSTRING "${page}" 0 ${data_at} before)
math(EXPR after_at "${data_at} + 6")
string(SUBSTRING "${page}" ${after_at} -1 after)
string(REPLACE "@STYLES@" "${styles}" before "${before}")
string(REPLACE "@SCRIPTS@" "${scripts}" after "${after}")

file(WRITE ${OUTPUT}
  "#include \"formats/flame_graph_page.h\"\n\n"
  "// The standard asks compilers for 64 KB of a literal; ours take more.\n"
  "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
  "namespace jprof {\n\n"
  "const std::string_view kFlameGraphPageBefore = R\"jprof_page(${before})jprof_page\";\n"
  "const std::string_view kFlameGraphPageAfter = R\"jprof_page(${after})jprof_page\";\n\n"
  "}  // namespace jprof\n")
