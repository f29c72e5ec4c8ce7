package java.jprof;

/** The functions of the agent that VirtualProbes calls. */
public final class VirtualNatives {
    private VirtualNatives() {}

    public static native long entry(Object thread, int method);

    public static native void exit(int method, long since);

    public static native void exception(Throwable thrown, int method, long since);
}
