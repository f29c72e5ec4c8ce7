# Makes jprof.jar from src/java with the JDK's javac and jar. Each build makes the same bytes.
# src/CMakeLists.txt includes this file.
find_package(Java REQUIRED COMPONENTS Development)
set(_java ${CMAKE_SOURCE_DIR}/src/java)
set(_work ${CMAKE_BINARY_DIR}/generated/jprof_jar)
set(JPROF_JAR ${CMAKE_BINARY_DIR}/lib/jprof.jar)
file(GLOB _all CONFIGURE_DEPENDS ${_java}/jprof/*.java)
file(GLOB _from9 CONFIGURE_DEPENDS ${_java}/versions/9/*.java ${_java}/versions/9/jprof/*.java)
# UnsafeWriter is compiled separately, because --release 8 hides sun.misc.Unsafe and newer JDKs
# deprecate it.
set(_unsafe ${_java}/jprof/UnsafeWriter.java)
list(REMOVE_ITEM _all ${_unsafe})
set(_javac ${Java_JAVAC_EXECUTABLE} -encoding UTF-8 -g:source,lines -Werror)

add_custom_command(
  OUTPUT ${JPROF_JAR}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${_work}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${_work}/jar/META-INF/versions/9/jprof ${CMAKE_BINARY_DIR}/lib
  COMMAND ${_javac} -source 8 -target 8 -XDignore.symbol.file -Xlint:all,-options,-deprecation,-removal -d ${_work}/jar ${_unsafe}
  COMMAND ${_javac} --release 8 -Xlint:all,-options -cp ${_work}/jar -d ${_work}/jar ${_all}
  COMMAND ${_javac} --release 9 -Xlint:all,-options --patch-module jprof=${_work}/jar
          -d ${_work}/9 ${_from9}
  COMMAND ${CMAKE_COMMAND} -E copy ${_work}/9/module-info.class ${_work}/jar/META-INF/versions/9
  COMMAND ${CMAKE_COMMAND} -E copy ${_work}/9/jprof/BufferWriter.class ${_work}/jar/META-INF/versions/9/jprof
  COMMAND ${CMAKE_COMMAND} -DJAR=${Java_JAR_EXECUTABLE} -DFOLDER=${_work}/jar -DOUTPUT=${JPROF_JAR}
          -DMANIFEST=${_java}/manifest.txt -P ${CMAKE_SOURCE_DIR}/cmake/make_jar.cmake
  DEPENDS ${_all} ${_from9} ${_unsafe} ${_java}/manifest.txt ${CMAKE_SOURCE_DIR}/cmake/make_jar.cmake
  VERBATIM COMMENT "Compiling jprof.jar")
set(_in_all ALL)
if(JPROF_SANITIZER)
  unset(_in_all)  # sanitizer builds run no Java
endif()
add_custom_target(jprof_jar ${_in_all} DEPENDS ${JPROF_JAR})

# Makes the extension of OpenTelemetry's javaagent (src/java/opentelemetry). It contains the classes
# of jprof.jar that it needs, because the javaagent loads it in a class loader of its own. That
# loader ignores META-INF/versions.
set(_extension ${_java}/opentelemetry)
set(_extension_work ${CMAKE_BINARY_DIR}/generated/opentelemetry_jar)
set(JPROF_OPENTELEMETRY_JAR ${CMAKE_BINARY_DIR}/lib/jprof-opentelemetry.jar)
file(GLOB_RECURSE _declarations CONFIGURE_DEPENDS ${_extension}/declarations/*.java)
set(_extension_sources ${_extension}/JprofContextStorage.java ${_extension}/extension/JprofExtension.java)
set(_provider io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider)
add_custom_command(
  OUTPUT ${JPROF_OPENTELEMETRY_JAR}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${_extension_work}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${_extension_work}/jar/jprof ${_extension_work}/jar/META-INF/services
  COMMAND ${_javac} --release 8 -Xlint:all,-options -d ${_extension_work}/declarations ${_declarations}
  COMMAND ${_javac} --release 8 -Xlint:all,-options -cp ${_extension_work}/declarations:${_work}/jar
          -d ${_extension_work}/jar ${_extension_sources}
  COMMAND ${CMAKE_COMMAND} -E copy ${_work}/jar/jprof/ThreadContext.class ${_work}/jar/jprof/ThreadContext$Scope.class
          ${_work}/jar/jprof/RecordWriter.class ${_work}/9/jprof/BufferWriter.class ${_extension_work}/jar/jprof
  COMMAND ${CMAKE_COMMAND} -E copy ${_extension}/extension/${_provider} ${_extension_work}/jar/META-INF/services
  COMMAND ${CMAKE_COMMAND} -DJAR=${Java_JAR_EXECUTABLE} -DFOLDER=${_extension_work}/jar
          -DOUTPUT=${JPROF_OPENTELEMETRY_JAR} -DMANIFEST=${_extension}/extension/manifest.txt
          -P ${CMAKE_SOURCE_DIR}/cmake/make_jar.cmake
  DEPENDS ${JPROF_JAR} ${_declarations} ${_extension_sources} ${_extension}/extension/${_provider}
          ${_extension}/extension/manifest.txt ${CMAKE_SOURCE_DIR}/cmake/make_jar.cmake
  VERBATIM COMMENT "Compiling jprof-opentelemetry.jar")
add_custom_target(jprof_opentelemetry_jar ${_in_all} DEPENDS ${JPROF_OPENTELEMETRY_JAR})
