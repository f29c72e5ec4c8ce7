package java.jprof;

/**
 * The methods that probes in java.lang.VirtualThread call when a virtual thread is started, first
 * runs, sleeps and ends. They are native, because the agent keeps the sums of the times between
 * these calls.
 */
public final class VirtualProbes {
    private VirtualProbes() {}

    public static native long entry(Object thread, int method);

    public static native void exit(int method, long since);

    public static native void exception(Throwable thrown, int method, long since);
}
