package jdk.internal.misc;

import java.jprof.ParkNatives;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/**
 * The methods that probes in LockSupport call. An object of the class stands for a parked thread.
 *
 * <p>The class belongs to the boot loader. It is in a package of java.base because ThreadFields is
 * in that package. A thread that has a permit does not wait when it parks; the probe then only
 * reads the permit. The agent counts every wait at its end. Nothing here parks or takes a monitor,
 * and no native method is on the stack while a thread is parked. So virtual threads are unmounted
 * as they would be without probes.
 */
public final class ParkProbes {
    private static final int BUCKETS_LOG2 = 13;

    /**
     * The number of parked threads for which a bucket has room. For a thread that finds no room,
     * neither the blocker nor the waker is known.
     */
    private static final int BUCKET = 8;

    private static final int PLACES = BUCKET << BUCKETS_LOG2;

    /** 2^64 divided by the golden ratio: multiplying by it moves successive ids far apart. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /**
     * Marks a park without a timeout. This constant and the flags below have their values from
     * lock_sampling.h.
     */
    private static final long NO_TIMEOUT = Long.MIN_VALUE;

    private static final int UNFINISHED = 2;

    /** The number of places with a mark in common (wait_marks.h). */
    private static final int GROUP = 64;

    /** The largest number of times that the age at which a park is looked at is doubled. */
    private static final int MOST_TRIES = 16;

    private static final int DEADLINE = 4;

    /** The parked threads, in buckets by the id of the thread; null while no waits are recorded. */
    private static volatile AtomicReferenceArray<ParkProbes> parks;

    /** The time of the last open(). */
    private static volatile long opened;

    /** The time from which on each wait is sampled, in nanoseconds. */
    private static long interval;

    /** The address of the marks of the groups of places. */
    private static long marks;

    /** The address of a clock that costs little to read: the time of the looker's last tick. */
    private static long ticks;

    /** The share of the draws for which the waker reads the clock even after a short wait. */
    private static final double EXACT = 1.0 / 16;

    private final Thread thread;
    private final Object blocker;
    private final long timeout;
    private final int flags;
    private final long owner;
    private final long start;

    /** Set by the waker before it unparks the thread. */
    private Thread waker;

    private long wakerStack;

    /** The number of times that look() has reported the park. */
    private int tries;

    /** The signed id of the thread that held the lock when its stack was taken. */
    private long holder;

    /** The stack of the holder; 0 if unknown. Written after {@code holder}. */
    private volatile long holderStack;

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
            // Another thread might have got the place since find() read it.
            if (park != null && park.thread == target && park.waker == null) {
                park.waker = Thread.currentThread();
                if (isSampled(target, Math.max(park.start, opened))) {
                    park.wakerStack = ParkNatives.stackOfWaker();
                }
            }
        } catch (VirtualMachineError error) {
            return 0;
        }
        return 0;
    }

    // Returns the token for end(). The token is the place plus 1, or the negated start time if the
    // bucket is full. Returns 0 if end() has nothing to do, for one of three reasons: the thread
    // has a permit, the park is called by another park method, or no waits are recorded. Catches
    // the errors that the JVM throws when stack or memory is used up, because they must not reach
    // the caller of the park method.
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
                    if (flags == DEADLINE) return 0; // a parkUntil that another parkUntil calls
                    all.set(place, null); // left over: end() of an earlier park found no memory
                    free = place;
                }
            }
            Object object = blocker != null ? blocker : LockSupport.getBlocker(thread);
            long owner = object instanceof AbstractOwnableSynchronizer
                    ? ThreadFields.ownerOf((AbstractOwnableSynchronizer) object) : 0;
            ParkProbes park = new ParkProbes(thread, object, timeout, flags, owner);
            for (int place = free; place >= first && place < first + BUCKET; ++place) {
                if (!all.compareAndSet(place, null, park)) continue;
                if (park.hasOwner()) ThreadFields.setMark(marks + place / GROUP);
                return place + 1;
            }
            return -park.start;
        } catch (VirtualMachineError error) {
            return 0;
        }
    }

    /** Returns true if the thread waits for a lock that another thread owns. */
    private boolean hasOwner() {
        return owner != 0 || blocker != null && ThreadFields.isExclusive(blocker);
    }

    /**
     * Returns a number from 0 to 1 that is random, and always the same for one wait. The wait is
     * sampled if it is longer than this share of the interval.
     */
    private static double drawOf(Thread thread, long start) {
        long mixed = (start ^ ThreadFields.idOf(thread) << 32) * SPREAD;
        mixed = (mixed ^ mixed >>> 32) * SPREAD;
        return ((mixed ^ mixed >>> 29) >>> 11) * 0x1p-53;
    }

    /**
     * Returns true if the wait of {@code target}, which ends now, will be sampled. Reads the clock
     * only after a tick of the looker, or if the draw is in favour of short waits: most waits are
     * so short that no tick comes, and reading the clock would be most of the cost of this method.
     * So some waits between a sixteenth of the interval and a tick are not recognized.
     */
    private static boolean isSampled(Thread target, long start) {
        double draw = drawOf(target, start);
        if (draw > EXACT && ThreadFields.readClock(ticks) <= start) return false;
        return draw * interval < System.nanoTime() - start;
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
            // If the token is from an earlier recording, the place is free or belongs to another
            // thread. The wait then counts from the start of this recording.
            if (park != null && park.thread != thread) park = null;
            if (park != null && !all.compareAndSet(place, park, null)) return;
            long start = Math.max(park != null ? park.start : -token, opened);
            long weight = ParkNatives.count(ThreadFields.signedIdOf(thread), now - start,
                    drawOf(thread, start), false);
            if (weight == 0) return;
            if (park == null) {
                ParkNatives.ended(thread, null, start, now - start, NO_TIMEOUT, 0, 0, null, weight,
                        0, 0, 0);
            } else {
                long stack = park.holderStack;
                ParkNatives.ended(thread, park.blocker, start, now - start, park.timeout, park.flags,
                        park.owner, park.waker, weight, park.holder, stack, park.wakerStack);
            }
        } catch (VirtualMachineError error) {
            return;
        }
    }

    // ---- for the agent, by JNI

    /**
     * Records waits from now on. {@code parker} and {@code counter} are passed to
     * ThreadFields.open. {@code every} is the interval. {@code marked} is the address of a mark for
     * each group of places, and {@code clock} that of the time of the looker's last tick; this
     * memory is never freed.
     */
    private static void open(long parker, long counter, long every, long marked, long clock) {
        ThreadFields.open(parker, counter);
        interval = every;
        marks = marked;
        ticks = clock;
        opened = System.nanoTime();
        AtomicReferenceArray<ParkProbes> empty = new AtomicReferenceArray<ParkProbes>(PLACES);
        // The first calls of get and compareAndSet allocate (VarHandle). They are made here,
        // because close() must not allocate.
        empty.get(0);
        empty.compareAndSet(0, null, null);
        parks = empty;
    }

    /**
     * Records the waits that go on. From now on, probes that are still in the code do nothing.
     * Allocates nothing, because at the end of the JVM the garbage collector might have stopped
     * already.
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
            long weight = ParkNatives.count(ThreadFields.signedIdOf(park.thread), waited,
                    drawOf(park.thread, park.start), true);
            if (weight == 0) continue;
            long stack = park.holderStack;
            ParkNatives.ended(park.thread, park.blocker, park.start, waited, park.timeout,
                    park.flags | UNFINISHED, park.owner, park.waker, weight, park.holder, stack, 0);
        }
    }

    /** Returns true if a probe has seen the thread park, and no probe has seen that park end. */
    private static boolean isParked(Thread thread) {
        AtomicReferenceArray<ParkProbes> all = parks;
        return all != null && find(all, thread) >= 0;
    }

    /**
     * Calls ParkNatives.held for the parks of a group that have begun at least {@code age}
     * nanoseconds before {@code now}, and whose lock another thread holds. A park that is called
     * again is called at twice its age. Allocates nothing. Returns true if the group has parks
     * whose holder's stack is unknown.
     */
    private static boolean look(int group, long now, long age) {
        AtomicReferenceArray<ParkProbes> all = parks;
        boolean isAwaited = false;
        if (all == null) return false;
        for (int place = group * GROUP; place < (group + 1) * GROUP; ++place) {
            ParkProbes park = all.get(place);
            if (park == null || park.holderStack != 0 || !park.hasOwner()) continue;
            isAwaited = true;
            if (now - park.start < age << park.tries) continue;
            if (park.tries < MOST_TRIES) ++park.tries;
            Thread owner = ThreadFields.ownerThreadOf((AbstractOwnableSynchronizer) park.blocker);
            if (owner == null || owner == park.thread) continue;
            ParkNatives.held(place, park.start, ThreadFields.signedIdOf(owner),
                    ThreadFields.runnerOf(owner));
        }
        return isAwaited;
    }

    /**
     * Stores the stack of the holder, unless the park that began at {@code start} has ended or the
     * lock has another owner now. Returns true if the stack is stored.
     */
    private static boolean store(int place, long start, long holder, long stack) {
        AtomicReferenceArray<ParkProbes> all = parks;
        ParkProbes park = all == null ? null : all.get(place);
        if (park == null || park.start != start || park.holderStack != 0) return false;
        if (ThreadFields.ownerOf((AbstractOwnableSynchronizer) park.blocker) != holder) {
            park.tries = 0; // look() reports the park with its new holder at once
            return false;
        }
        park.holder = holder;
        park.holderStack = stack;
        return true;
    }

    /** Calls ParkNatives.stored for each stack of a holder whose park goes on. */
    private static void keep() {
        AtomicReferenceArray<ParkProbes> all = parks;
        if (all == null) return;
        for (int place = 0; place < PLACES; ++place) {
            ParkProbes park = all.get(place);
            long stack = park == null ? 0 : park.holderStack;
            if (stack != 0) ParkNatives.stored(stack);
        }
    }
}
