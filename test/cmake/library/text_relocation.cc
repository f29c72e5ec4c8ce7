// Puts an absolute address in the code section, as code that is compiled without -fPIC does.
asm(".text\n.quad Agent_OnLoad\n");
