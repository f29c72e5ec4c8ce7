// Functions that only newer versions of glibc export. They are defined here so that the library and
// the program do not import them. Together with cmake/glibc_symbols_*.h, this keeps the oldest
// usable glibc at the version that check_library.sh verifies. In the library, the version script
// hides the functions.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

// glibc 2.33 turned the functions of stat from inline wrappers into exported functions. On 64-bit
// Linux the kernel and the C library have the same struct stat (glibc 2.36
// sysdeps/unix/sysv/linux/fstatat64.c).
int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, status, flags));
}
int stat(const char* path, struct stat* status) { return fstatat(AT_FDCWD, path, status, 0); }
int lstat(const char* path, struct stat* status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat* status) { return fstatat(fd, "", status, AT_EMPTY_PATH); }

// glibc 2.27 added memfd_create.
int memfd_create(const char* name, unsigned int flags) {
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

// glibc 2.32 added this variable. While the variable is true, libstdc++ counts references without
// atomic instructions. The value false is always correct.
char __libc_single_threaded = 0;

}  // extern "C"
