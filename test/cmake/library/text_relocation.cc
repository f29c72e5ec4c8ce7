// An absolute address in the code section, as code compiled without -fPIC has it.
asm(".text\n.quad Agent_OnLoad\n");
