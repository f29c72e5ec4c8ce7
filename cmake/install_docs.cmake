# Installs README.md, docs/ and the sources that users copy, of the checkout SOURCE, in DESTINATION.
# Links to headers lead to the installed headers. Links to other files that no package has, such as
# tests, become plain text.
cmake_policy(VERSION 3.25)
set(copied src/java/opentelemetry)  # where pages tell users to copy a file from
file(GLOB files RELATIVE ${SOURCE} ${SOURCE}/README.md ${SOURCE}/${copied}/*.md ${SOURCE}/${copied}/*.java)
file(GLOB_RECURSE folders RELATIVE ${SOURCE} ${SOURCE}/docs/*.md ${SOURCE}/docs/*.png ${SOURCE}/docs/*.svg
  ${SOURCE}/examples/*)
foreach(file IN LISTS files folders)
  set(installed ${DESTINATION}/${file})
  if(file MATCHES "\\.md$")
    file(READ ${SOURCE}/${file} text)
    string(REPLACE "](../${copied}" "](../:copied" text "${text}")
    string(REPLACE "](../include/" "](../../../../include/" text "${text}")
    string(REGEX REPLACE
      "\\[([^][]*)\\]\\((\\.\\./)*(CONTRIBUTING\\.md|scripts|src|test)(/[^)]*|#[^)]*)?\\)" "\\1" text "${text}")
    string(REPLACE "](../:copied" "](../${copied}" text "${text}")
    file(WRITE ${installed} "${text}")
  else()
    configure_file(${SOURCE}/${file} ${installed} COPYONLY)
  endif()
  file(CHMOD ${installed} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
message(STATUS "Installing: ${DESTINATION}/README.md and docs")
