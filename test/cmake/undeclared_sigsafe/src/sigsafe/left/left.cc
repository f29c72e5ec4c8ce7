int Left() { return 1; }
