# jprof_jdk_headers: jni.h and jvmti.h of a JDK of release 17 or later; the interfaces that we use
# are older. Takes the JDK of JAVA_HOME, or else the distribution's default, or else the newest in
# /usr/lib/jvm.
file(GLOB _jdks /usr/lib/jvm/java-*-openjdk-* /usr/lib/jvm/*-jdk-*)
list(SORT _jdks COMPARE NATURAL ORDER DESCENDING)
find_path(JPROF_JDK_INCLUDE_DIR jvmti.h
  HINTS ENV JAVA_HOME
  PATHS /usr/lib/jvm/default-java ${_jdks}
  PATH_SUFFIXES include
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT JPROF_JDK_INCLUDE_DIR)
  message(FATAL_ERROR "No JDK headers (jvmti.h) found: install a JDK from 17 on (scripts/bootstrap --build), or set JAVA_HOME.")
endif()
add_library(jprof_jdk_headers INTERFACE)
target_include_directories(jprof_jdk_headers SYSTEM INTERFACE
  ${JPROF_JDK_INCLUDE_DIR} ${JPROF_JDK_INCLUDE_DIR}/linux)
