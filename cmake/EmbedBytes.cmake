# Writes a file as a C++ array of bytes. Run as a script by the build:
#   cmake -DBYTES=<file> -DOUTPUT=<cc> -DHEADER=<h> -DCONSTANT=<name> -P EmbedBytes.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${BYTES} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
file(WRITE ${OUTPUT}
  "#include \"${HEADER}\"\n\n"
  "namespace jprof {\n"
  "namespace {\n\n"
  "constexpr uint8_t ${CONSTANT}Array[] = {\n${bytes}};\n\n"
  "}  // namespace\n\n"
  "const std::span<const uint8_t> ${CONSTANT}(${CONSTANT}Array);\n\n"
  "}  // namespace jprof\n")
