/** The API of jprof for a program: the trace context of its threads, and recordings. */
module jprof {
    exports jprof;
}
