// Needs libstdc++ at run time unless it is linked statically.
void ThrowAnInt();
void ThrowAnInt() { throw 1; }
