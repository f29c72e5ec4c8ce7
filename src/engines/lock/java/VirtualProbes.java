package jdk.internal.misc;

import java.jprof.VirtualNatives;

/**
 * The methods that probes in java.lang.VirtualThread call when a virtual thread is started, first
 * runs, sleeps, is parked on its carrier and ends. The agent keeps the sums of the times between
 * these calls. ParkProbes samples the sleeps for {@code wall}.
 */
public final class VirtualProbes {
    /** The number of the method sleepNanos, from virtual_lives.cc. */
    private static final int SLEEP = 2;

    /** The number of the method parkOnCarrierThread: the thread is pinned while it is parked. */
    private static final int PINNED = 3;

    /** True while the agent keeps sums. */
    private static volatile boolean isOpen;

    private VirtualProbes() {}

    public static long entry(Object thread, int method) {
        if (method == PINNED) {
            ParkProbes.staysMounted();
            return 0;
        }
        long since = isOpen ? VirtualNatives.entry(thread, method) : 0;
        if (method != SLEEP) return since;
        long negated = ParkProbes.sleeps();
        return since != 0 ? since : negated;
    }

    public static void exit(int method, long since) {
        if (method == SLEEP) ParkProbes.wakes(since);
        if (since > 0) VirtualNatives.exit(method, since);
    }

    public static void exception(Throwable thrown, int method, long since) {
        if (method == SLEEP) ParkProbes.wakes(since);
        if (since > 0) VirtualNatives.exception(thrown, method, since);
    }

    // ---- for the agent, by JNI

    private static void open(boolean isOpen) {
        VirtualProbes.isOpen = isOpen;
    }
}
