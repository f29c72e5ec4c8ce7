# CPack reads this file for each format. An archive unpacks into one folder, and a .deb into the
# root folder.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
