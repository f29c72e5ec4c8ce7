/** jprof's API for programs: the trace context of their threads, and the control of recordings. */
module jprof {
    exports jprof;
}
