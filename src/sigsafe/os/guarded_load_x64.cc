// The guarded loads on x86-64 (System V ABI: the argument is in rdi, the two words of the answer
// are in rax and rdx).

__asm__(
    ".text\n"
    ".hidden JprofGuardedLoad1, JprofGuardedLoad2, JprofGuardedLoad4, JprofGuardedLoad8\n"
    ".hidden JprofGuardedLoadFailed\n"
    ".globl JprofGuardedLoad1, JprofGuardedLoad2, JprofGuardedLoad4, JprofGuardedLoad8\n"
    ".globl JprofGuardedLoadFailed\n"
    ".type JprofGuardedLoad1, @function\n"
    ".type JprofGuardedLoad2, @function\n"
    ".type JprofGuardedLoad4, @function\n"
    ".type JprofGuardedLoad8, @function\n"
    ".type JprofGuardedLoadFailed, @function\n"
    ".balign 16\n"
    "JprofGuardedLoad1: movzbl (%rdi), %eax\n movl $1, %edx\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad2: movzwl (%rdi), %eax\n movl $1, %edx\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad4: movl (%rdi), %eax\n movl $1, %edx\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad8: movq (%rdi), %rax\n movl $1, %edx\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoadFailed: xorl %eax, %eax\n xorl %edx, %edx\n ret\n"
    ".size JprofGuardedLoadFailed, .-JprofGuardedLoadFailed\n");
