// A library with the name of OpenJ9's own one, by which jprof knows OpenJ9.
extern "C" int fake_j9_loads_libj9vm() { return 1; }
