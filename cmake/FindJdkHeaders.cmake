# jprof::jdk_headers: jni.h and jvmti.h of any JDK from 17 on; the interfaces we use are older.
find_path(JPROF_JDK_INCLUDE_DIR jvmti.h
  HINTS ENV JAVA_HOME
  PATHS /usr/lib/jvm/default-java /usr/lib/jvm/java-17-openjdk-amd64
        /usr/lib/jvm/java-17-openjdk-arm64 /usr/lib/jvm/temurin-25-jdk-amd64
  PATH_SUFFIXES include
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT JPROF_JDK_INCLUDE_DIR)
  message(FATAL_ERROR "No JDK headers (jvmti.h) found: install a JDK 17 or set JAVA_HOME.")
endif()
add_library(jprof_jdk_headers INTERFACE)
target_include_directories(jprof_jdk_headers SYSTEM INTERFACE
  ${JPROF_JDK_INCLUDE_DIR} ${JPROF_JDK_INCLUDE_DIR}/linux)
