# Libunwind::Libunwind: another unwinder, with which tests compare our unwinding of native code.
# Only tests link it.
find_path(Libunwind_INCLUDE_DIR libunwind.h)
find_library(Libunwind_LIBRARY unwind)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libunwind REQUIRED_VARS Libunwind_LIBRARY Libunwind_INCLUDE_DIR)

if(Libunwind_FOUND AND NOT TARGET Libunwind::Libunwind)
  add_library(Libunwind::Libunwind UNKNOWN IMPORTED)
  set_target_properties(Libunwind::Libunwind PROPERTIES
    IMPORTED_LOCATION ${Libunwind_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Libunwind_INCLUDE_DIR})
endif()
