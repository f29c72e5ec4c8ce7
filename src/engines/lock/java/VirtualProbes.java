package java.jprof;

/**
 * The methods that probes in java.lang.VirtualThread call when the lives of virtual threads, their
 * wait for the first carrier and their sleeps begin and end. Native, because the agent has the
 * sums.
 */
public final class VirtualProbes {
    private VirtualProbes() {}

    public static native long entry(Object thread, int method);

    public static native void exit(int method, long since);

    public static native void exception(Throwable thrown, int method, long since);
}
