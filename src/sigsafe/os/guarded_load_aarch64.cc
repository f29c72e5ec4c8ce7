// The guarded loads on AArch64 (AAPCS64: the argument is in x0, the two words of the answer are in
// x0 and x1).

__asm__(
    ".text\n"
    ".hidden JprofGuardedLoad1, JprofGuardedLoad2, JprofGuardedLoad4, JprofGuardedLoad8\n"
    ".hidden JprofGuardedLoadFailed\n"
    ".globl JprofGuardedLoad1, JprofGuardedLoad2, JprofGuardedLoad4, JprofGuardedLoad8\n"
    ".globl JprofGuardedLoadFailed\n"
    ".type JprofGuardedLoad1, %function\n"
    ".type JprofGuardedLoad2, %function\n"
    ".type JprofGuardedLoad4, %function\n"
    ".type JprofGuardedLoad8, %function\n"
    ".type JprofGuardedLoadFailed, %function\n"
    ".balign 16\n"
    "JprofGuardedLoad1: ldrb w0, [x0]\n mov x1, #1\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad2: ldrh w0, [x0]\n mov x1, #1\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad4: ldr w0, [x0]\n mov x1, #1\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoad8: ldr x0, [x0]\n mov x1, #1\n ret\n"
    ".balign 16\n"
    "JprofGuardedLoadFailed: mov x0, #0\n mov x1, #0\n ret\n"
    ".size JprofGuardedLoadFailed, .-JprofGuardedLoadFailed\n");
