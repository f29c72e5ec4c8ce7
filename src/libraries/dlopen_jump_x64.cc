// The wrappers of dlopen for x86-64 (System V ABI: the arguments are in rdi and esi, and are kept
// on the stack during the call to JprofBeforeDlopen). A wrapper is entered with the caller's return
// address on top of the stack, and enters the original with this address still on top of the stack.

#define JPROF_DLOPEN_WRAPPER(number)          \
  __asm__(                                    \
      ".text\n"                               \
      ".balign 16\n"                          \
      ".hidden JprofDlopen" #number           \
      "\n"                                    \
      ".globl JprofDlopen" #number            \
      "\n"                                    \
      ".type JprofDlopen" #number             \
      ", @function\n"                         \
      "JprofDlopen" #number                   \
      ":\n"                                   \
      ".cfi_startproc\n"                      \
      " endbr64\n"                            \
      " pushq %rdi\n"                         \
      ".cfi_adjust_cfa_offset 8\n"            \
      " pushq %rsi\n"                         \
      ".cfi_adjust_cfa_offset 8\n"            \
      " subq $8, %rsp\n"                      \
      ".cfi_adjust_cfa_offset 8\n"            \
      " call JprofBeforeDlopen\n"             \
      " addq $8, %rsp\n"                      \
      ".cfi_adjust_cfa_offset -8\n"           \
      " popq %rsi\n"                          \
      ".cfi_adjust_cfa_offset -8\n"           \
      " popq %rdi\n"                          \
      ".cfi_adjust_cfa_offset -8\n"           \
      " jmp *JprofDlopenOriginals+8*" #number \
      "(%rip)\n"                              \
      ".cfi_endproc\n"                        \
      ".size JprofDlopen" #number ", .-JprofDlopen" #number "\n")

JPROF_DLOPEN_WRAPPER(0);
JPROF_DLOPEN_WRAPPER(1);
JPROF_DLOPEN_WRAPPER(2);
JPROF_DLOPEN_WRAPPER(3);
