package jdk.internal.misc;

import java.jprof.ParkNatives;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/**
 * The methods that probes in LockSupport call. An object is the park of a thread.
 *
 * <p>A class of the boot loader, in a package of java.base because of ThreadFields. A thread that
 * has a permit does not wait, and costs a read of the permit. The agent counts every wait at its
 * end. Nothing here parks or takes a monitor, and no native method is on the stack while a thread
 * is parked, so that virtual threads are unmounted as without probes.
 */
public final class ParkProbes {
    private static final int BUCKETS_LOG2 = 13;

    /**
     * The most threads of one bucket that are parked at a time; neither object nor waker is known
     * of others.
     */
    private static final int BUCKET = 8;

    private static final int PLACES = BUCKET << BUCKETS_LOG2;

    /** 2^64 divided by the golden ratio: successive ids are far from each other. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The values of LockPayload of the agent. */
    private static final long NO_TIMEOUT = Long.MIN_VALUE;

    private static final int UNFINISHED = 2;

    private static final int DEADLINE = 4;

    /** The parks, in buckets by the id of the thread; null: no wait is recorded. */
    private static volatile AtomicReferenceArray<ParkProbes> parks;

    private static volatile long opened;

    private final Thread thread;
    private final Object blocker;
    private final long timeout;
    private final int flags;
    private final long owner;
    private final long start;

    /** Set by the waker before it unparks the thread. */
    private Thread waker;

    private ParkProbes(Thread thread, Object blocker, long timeout, int flags, long owner) {
        this.thread = thread;
        this.blocker = blocker;
        this.timeout = timeout;
        this.flags = flags;
        this.owner = owner;
        this.start = System.nanoTime();
    }

    // ---- probes

    public static long entry(int flags) {
        return begin(null, NO_TIMEOUT, flags);
    }

    public static long entry(long timeout, int flags) {
        return begin(null, timeout, flags);
    }

    public static long entry(Object blocker, int flags) {
        return begin(blocker, NO_TIMEOUT, flags);
    }

    public static long entry(Object blocker, long timeout, int flags) {
        return begin(blocker, timeout, flags);
    }

    public static void exit(int flags, long token) {
        end(token);
    }

    public static void exception(Throwable thrown, int flags, long token) {
        end(token);
    }

    /** Called before {@code target} is unparked. */
    public static long unparked(Thread target, int flags) {
        AtomicReferenceArray<ParkProbes> all = parks;
        if (all == null || target == null) return 0;
        try {
            int place = find(all, target);
            ParkProbes park = place < 0 ? null : all.get(place);
            // Between the two looks another thread might have got the place.
            if (park != null && park.thread == target && park.waker == null) {
                park.waker = Thread.currentThread();
            }
        } catch (VirtualMachineError error) {
            return 0;
        }
        return 0;
    }

    // Returns the token that end() gets: the place, from 1 on; without a place, the start time as a
    // negative number. 0: the thread does not wait, or is in a park within another one, or no wait
    // is recorded. Errors that the JVM throws if stack or memory is used up must not reach the
    // caller.
    private static long begin(Object blocker, long timeout, int flags) {
        AtomicReferenceArray<ParkProbes> all = parks;
        if (all == null) return 0;
        try {
            Thread thread = Thread.currentThread();
            if (ThreadFields.hasPermit(thread)) return 0;
            int first = bucketOf(thread);
            int free = -1;
            for (int place = first + BUCKET - 1; place >= first; --place) {
                ParkProbes known = all.get(place);
                if (known == null) {
                    free = place;
                } else if (known.thread == thread) {
                    if (flags == DEADLINE) return 0; // parkUntil(Object, long) calls another one
                    all.set(place, null); // the end of that park found no memory
                    free = place;
                }
            }
            Object object = blocker != null ? blocker : LockSupport.getBlocker(thread);
            long owner = object instanceof AbstractOwnableSynchronizer
                    ? ThreadFields.ownerOf((AbstractOwnableSynchronizer) object) : 0;
            ParkProbes park = new ParkProbes(thread, object, timeout, flags, owner);
            for (int place = free; place >= first && place < first + BUCKET; ++place) {
                if (all.compareAndSet(place, null, park)) return place + 1;
            }
            return -park.start;
        } catch (VirtualMachineError error) {
            return 0;
        }
    }

    private static int bucketOf(Thread thread) {
        return (int) (ThreadFields.idOf(thread) * SPREAD >>> 64 - BUCKETS_LOG2) * BUCKET;
    }

    private static int find(AtomicReferenceArray<ParkProbes> all, Thread thread) {
        int first = bucketOf(thread);
        for (int place = first; place < first + BUCKET; ++place) {
            ParkProbes park = all.get(place);
            if (park != null && park.thread == thread) return place;
        }
        return -1;
    }

    private static void end(long token) {
        AtomicReferenceArray<ParkProbes> all = parks;
        if (token == 0 || all == null) return;
        long now = System.nanoTime();
        try {
            Thread thread = Thread.currentThread();
            int place = (int) token - 1;
            ParkProbes park = token < 0 ? null : all.get(place);
            // A park that began in an earlier recording is counted from the start of this
            // recording.
            if (park != null && park.thread != thread) park = null;
            if (park != null && !all.compareAndSet(place, park, null)) return;
            long start = Math.max(park != null ? park.start : -token, opened);
            long weight = ParkNatives.count(ThreadFields.signedIdOf(thread), now - start, now, false);
            if (weight == 0) return;
            if (park == null) {
                ParkNatives.ended(thread, null, start, now - start, NO_TIMEOUT, 0, 0, null, weight);
            } else {
                ParkNatives.ended(thread, park.blocker, start, now - start, park.timeout, park.flags,
                        park.owner, park.waker, weight);
            }
        } catch (VirtualMachineError error) {
            return;
        }
    }

    // ---- for the agent, by JNI

    /** Records waits from now on. {@code parker}, {@code counter}: see ThreadFields. */
    private static void open(long parker, long counter) {
        ThreadFields.open(parker, counter);
        opened = System.nanoTime();
        AtomicReferenceArray<ParkProbes> empty = new AtomicReferenceArray<ParkProbes>(PLACES);
        // The first calls allocate (VarHandle), and close() must not.
        empty.get(0);
        empty.compareAndSet(0, null, null);
        parks = empty;
    }

    /**
     * Records the waits that have not ended, and makes probes that are still in the code do nothing
     * from now on. Allocates nothing: at the end of the JVM its collector might have ended.
     */
    private static void close() {
        AtomicReferenceArray<ParkProbes> all = parks;
        parks = null;
        if (all == null) return;
        long now = System.nanoTime();
        for (int place = 0; place < PLACES; ++place) {
            ParkProbes park = all.get(place);
            if (park == null || !all.compareAndSet(place, park, null)) continue;
            long waited = now - park.start;
            long weight = ParkNatives.count(ThreadFields.signedIdOf(park.thread), waited, now, true);
            if (weight == 0) continue;
            ParkNatives.ended(park.thread, park.blocker, park.start, waited, park.timeout,
                    park.flags | UNFINISHED, park.owner, park.waker, weight);
        }
    }

    private static boolean isParked(Thread thread) {
        AtomicReferenceArray<ParkProbes> all = parks;
        return all != null && find(all, thread) >= 0;
    }
}
