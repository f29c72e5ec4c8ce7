package java.jprof;

/**
 * The methods that the probes of `exact` call (engines/validate/exact_times.h). They call no other
 * class of the JDK except Class and Thread, and there only methods that the JVM itself implements.
 *
 * <p>Virtual threads are not measured: the clocks are those of the thread that runs them.
 */
public final class TimeProbes {
    /** The token of a call that is not measured. */
    private static final long NONE = -1;

    /** The first number of this recording. A call of an earlier recording is not measured. */
    private static int first;

    /** Whether a method is left out, by number - first; null while nothing is measured. */
    private static volatile boolean[] leftOut;

    /** The class of virtual threads; null if this JDK has none. */
    private static Class<?> virtual;

    private TimeProbes() {}

    // ---- probes

    public static long entry(int number) {
        boolean[] all = leftOut;
        int place = number - first;
        if (all == null || place < 0 || all[place]) return NONE;
        return isOnVirtualThread() ? NONE : enter(number);
    }

    public static void exit(int number, long token) {
        if (token >= 0) leave(number, token);
    }

    public static void exception(Throwable thrown, int number, long token) {
        if (token >= 0) leave(number, token);
    }

    private static boolean isOnVirtualThread() {
        return virtual != null && virtual.isInstance(Thread.currentThread());
    }

    private static native long enter(int number);

    private static native void leave(int number, long token);

    // ---- for the agent, by JNI

    /** Starts to measure the methods with `most` numbers from `newFirst` on. */
    private static void open(int newFirst, int most, Class<?> ofVirtualThreads) {
        first = newFirst;
        virtual = ofVirtualThreads;
        leftOut = new boolean[most];
        link();
    }

    /** Links all that a probe calls, before a method has one. No method has the number 0. */
    private static void link() {
        isOnVirtualThread();
        leave(0, enter(0));
    }

    private static void leaveOut(int number) {
        boolean[] all = leftOut;
        if (all != null && number >= first) all[number - first] = true;
    }

    private static void close() {
        leftOut = null;
    }
}
