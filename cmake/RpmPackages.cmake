# The .rpm packages of `cpack -G RPM`. Packages.cmake includes this file.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT runtime)
set(CPACK_RPM_RUNTIME_PACKAGE_NAME jprof)
set(CPACK_RPM_DEBUG_PACKAGE_NAME jprof-debuginfo)
set(CPACK_RPM_RUNTIME_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_DEBUG_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0 AND Zlib AND BSD-3-Clause AND BSD-2-Clause")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_DEBUG_PACKAGE_SUMMARY "symbols of jprof for debuggers and perf")
set(CPACK_RPM_DEBUG_PACKAGE_DESCRIPTION "${CPACK_RPM_DEBUG_PACKAGE_SUMMARY}")
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_DEBUG_PACKAGE_REQUIRES "jprof = ${PROJECT_VERSION}-1")
# Symbols are data. Without this, rpmbuild would look for the libraries that the debug files name.
set(CPACK_RPM_DEBUG_PACKAGE_AUTOREQPROV no)
set(CPACK_RPM_COMPRESSION_TYPE xz)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
endif()
# The system owns these folders, so the package does not contain them.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr /usr/bin /usr/include /usr/lib /usr/lib/debug /usr/lib/debug/.build-id /usr/lib/pkgconfig /usr/share
  /usr/share/doc /usr/share/man /usr/share/man/man1 /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish
  /usr/share/fish/vendor_completions.d)
set(CPACK_PACKAGE_RELOCATABLE OFF)
# Makes the same bytes in each build: no name of the machine, the time of the commit (if
# SOURCE_DATE_EPOCH is set), and files as they were installed, without rpmbuild's own changes.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _buildhost reproducible
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none
%define __os_install_post %{nil}
%define debug_package %{nil}")
