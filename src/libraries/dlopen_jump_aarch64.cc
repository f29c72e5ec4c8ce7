// The wrappers of dlopen for AArch64 (AAPCS64: the arguments are in x0 and w1, and are kept on the
// stack during the call to JprofBeforeDlopen). A wrapper is entered with the caller's return
// address in x30, and enters the original with this address still in x30.

#define JPROF_DLOPEN_WRAPPER(number)                \
  __asm__(                                          \
      ".text\n"                                     \
      ".balign 16\n"                                \
      ".hidden JprofDlopen" #number                 \
      "\n"                                          \
      ".globl JprofDlopen" #number                  \
      "\n"                                          \
      ".type JprofDlopen" #number                   \
      ", %function\n"                               \
      "JprofDlopen" #number                         \
      ":\n"                                         \
      ".cfi_startproc\n"                            \
      " hint #34\n" /* bti c */                     \
      " stp x29, x30, [sp, #-32]!\n"                \
      ".cfi_adjust_cfa_offset 32\n"                 \
      ".cfi_rel_offset x29, 0\n"                    \
      ".cfi_rel_offset x30, 8\n"                    \
      " mov x29, sp\n"                              \
      " stp x0, x1, [sp, #16]\n"                    \
      " bl JprofBeforeDlopen\n"                     \
      " ldp x0, x1, [sp, #16]\n"                    \
      " ldp x29, x30, [sp], #32\n"                  \
      ".cfi_adjust_cfa_offset -32\n"                \
      ".cfi_restore x29\n"                          \
      ".cfi_restore x30\n"                          \
      " adrp x16, JprofDlopenOriginals\n"           \
      " add x16, x16, :lo12:JprofDlopenOriginals\n" \
      " ldr x16, [x16, #8*" #number                 \
      "]\n"                                         \
      " br x16\n"                                   \
      ".cfi_endproc\n"                              \
      ".size JprofDlopen" #number ", .-JprofDlopen" #number "\n")

JPROF_DLOPEN_WRAPPER(0);
JPROF_DLOPEN_WRAPPER(1);
JPROF_DLOPEN_WRAPPER(2);
JPROF_DLOPEN_WRAPPER(3);
