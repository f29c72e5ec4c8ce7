# bin/jprof: a single file that needs only glibc, in no newer version than the library needs
# (src/glibc/README.md). It is linked with libpthread.so.0 and libdl.so.2, because in older versions
# of glibc these contain some functions that the program calls and that are now in libc.so.6.

add_executable(jprof cli/main.cc)
target_link_libraries(jprof PRIVATE jprof_cli)
if(NOT JPROF_SANITIZER)
  set(_wrapped __libc_start_main __pthread_key_create pthread_once pthread_rwlock_destroy
               pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock)
  list(TRANSFORM _wrapped PREPEND "-Wl,--wrap=")
  target_sources(jprof PRIVATE glibc/program.cc $<TARGET_OBJECTS:jprof_glibc>)
  target_link_options(jprof PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections ${_wrapped})
  target_link_libraries(jprof PRIVATE -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
                                      -Wl,--as-needed)
endif()

# Makes the manual page and the shell completions, which the program itself prints.
if(NOT CMAKE_CROSSCOMPILING)
  set(_share ${CMAKE_BINARY_DIR}/share)
  set(_texts ${_share}/man/man1/jprof.1 ${_share}/bash-completion/completions/jprof
             ${_share}/zsh/site-functions/_jprof ${_share}/fish/vendor_completions.d/jprof.fish)
  add_custom_command(OUTPUT ${_texts}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${_share}/man/man1 ${_share}/bash-completion/completions
            ${_share}/zsh/site-functions ${_share}/fish/vendor_completions.d
    COMMAND jprof man > ${_share}/man/man1/jprof.1
    COMMAND jprof completion bash > ${_share}/bash-completion/completions/jprof
    COMMAND jprof completion zsh > ${_share}/zsh/site-functions/_jprof
    COMMAND jprof completion fish > ${_share}/fish/vendor_completions.d/jprof.fish
    DEPENDS jprof VERBATIM)
  add_custom_target(jprof_texts ALL DEPENDS ${_texts})
endif()
