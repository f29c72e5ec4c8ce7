/** What a program may ask of jprof: the trace context of its threads, and recordings. */
module jprof {
    exports jprof;
}
