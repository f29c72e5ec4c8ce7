// The start of the program jprof, and the binding of functions to the versions that the oldest
// supported C library has.
//
// The linker binds a call to the newest version of a function, and glibc 2.34 gave new versions to
// all functions that it moved into libc.so.6. For our own sources, cmake/glibc_symbols_*.h binds
// the calls to the old versions. For other archives, the linker option --wrap redirects the calls
// to __wrap_NAME.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstddef>

#ifdef __x86_64__
#define JPROF_BIND(name) __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5")
#else
#define JPROF_BIND(name) __asm__(".symver old_" #name "," #name "@GLIBC_2.17")
#endif

extern "C" {

using Start = int(int argc, char** argv, char** environment);

extern Start* __preinit_array_start[] __attribute__((visibility("hidden")));
extern Start* __preinit_array_end[] __attribute__((visibility("hidden")));
extern Start* __init_array_start[] __attribute__((visibility("hidden")));
extern Start* __init_array_end[] __attribute__((visibility("hidden")));
void _init();

int old___libc_start_main(Start* main, int argc, char** argv, Start* initialise, void (*finish)(),
                          void (*finish_linker)(), void* stack_end);
JPROF_BIND(__libc_start_main);

// Calls the constructors of the program. Before glibc 2.34 each program contained such a function,
// and passed it to __libc_start_main (glibc 2.33 csu/elf-init.c, __libc_csu_init). Since glibc
// 2.34, programs pass null instead, and an older library would then call no constructors. A newer
// library still calls such a function if it is given one (glibc 2.36 csu/libc-start.c).
static int CallConstructors(int argc, char** argv, char** environment) {
  for (Start** each = __preinit_array_start; each != __preinit_array_end; ++each) {
    (*each)(argc, argv, environment);
  }
  _init();
  for (Start** each = __init_array_start; each != __init_array_end; ++each) {
    (*each)(argc, argv, environment);
  }
  return 0;
}

int __wrap___libc_start_main(Start* main, int argc, char** argv, Start*, void (*finish)(),
                             void (*finish_linker)(), void* stack_end) {
  return old___libc_start_main(main, argc, argv, &CallConstructors, finish, finish_linker,
                               stack_end);
}

int old_pthread_once(pthread_once_t* once, void (*function)());
JPROF_BIND(pthread_once);
int __wrap_pthread_once(pthread_once_t* once, void (*function)()) {
  return old_pthread_once(once, function);
}

int old_pthread_key_create(pthread_key_t* key, void (*destroy)(void*));
JPROF_BIND(pthread_key_create);
int __wrap___pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  return old_pthread_key_create(key, destroy);
}

int old_pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes);
JPROF_BIND(pthread_rwlock_init);
int __wrap_pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  return old_pthread_rwlock_init(lock, attributes);
}

#define JPROF_OF_RWLOCK(name)                                \
  int old_pthread_rwlock_##name(pthread_rwlock_t* lock);     \
  JPROF_BIND(pthread_rwlock_##name);                         \
  int __wrap_pthread_rwlock_##name(pthread_rwlock_t* lock) { \
    return old_pthread_rwlock_##name(lock);                  \
  }
JPROF_OF_RWLOCK(destroy)
JPROF_OF_RWLOCK(rdlock)
JPROF_OF_RWLOCK(wrlock)
JPROF_OF_RWLOCK(unlock)

// glibc 2.35 added _dl_find_object, by which the unwinder of exceptions finds the object at an
// address (gcc 12 libgcc/unwind-dw2-fde-dip.c, _Unwind_Find_FDE). The unwinder uses only the fields
// that are set below.
#ifdef DLFO_EH_SEGMENT_TYPE
struct Search {
  ElfW(Addr) pc;
  dl_find_object* found;
};

static int LookIn(dl_phdr_info* object, size_t, void* data) {
  const auto* const search = static_cast<Search*>(data);
  bool has_pc = false;
  void* frames = nullptr;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) frames = reinterpret_cast<void*>(begin);
    if (segment.p_type != PT_LOAD || search->pc - begin >= segment.p_memsz) continue;
    has_pc = true;
    search->found->dlfo_map_start = reinterpret_cast<void*>(begin);
    search->found->dlfo_map_end = reinterpret_cast<void*>(begin + segment.p_memsz);
  }
  search->found->dlfo_eh_frame = frames;
  return has_pc && frames != nullptr ? 1 : 0;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void* pc, dl_find_object* found) {
  *found = {};
  Search search{reinterpret_cast<ElfW(Addr)>(pc), found};
  return dl_iterate_phdr(&LookIn, &search) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
