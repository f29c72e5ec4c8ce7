package jdk.internal.misc;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The threads that are parked or sleep, in buckets by the id of the thread. A place is a number
 * from 0 to size() - 1. All methods can be called concurrently.
 */
final class ParkTable {
    /**
     * The number of threads for which a bucket has room. For a thread that finds no room, neither
     * the blocker nor the waker is known, and the agent learns of the wait only at its end.
     */
    private static final int BUCKET = 8;

    /** The number of the first places, whose groups have marks (ParkProbes). */
    static final int PLACES = BUCKET << 13;

    /** The number of further places: of 100 000 threads, nearly all find one. */
    private static final int MORE_PLACES = BUCKET << 16;

    /** 2^64 divided by the golden ratio: multiplying by it moves successive ids far apart. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final AtomicReferenceArray<ParkProbes> places =
            new AtomicReferenceArray<ParkProbes>(PLACES);

    /** The places from PLACES on, made when a bucket is full; null if the table does not grow. */
    private final AtomicReference<AtomicReferenceArray<ParkProbes>> more;

    ParkTable(boolean grows) {
        more = grows ? new AtomicReference<AtomicReferenceArray<ParkProbes>>() : null;
        // The first calls of these methods allocate (VarHandle). They are made here, because
        // ParkProbes.close() must not allocate.
        places.get(0);
        places.compareAndSet(0, null, null);
    }

    int size() {
        return further() == null ? PLACES : PLACES + MORE_PLACES;
    }

    /** Returns the place of the thread; -1 if it has none. */
    int find(Thread thread) {
        int place = findIn(places, thread);
        if (place >= 0) return place;
        AtomicReferenceArray<ParkProbes> further = further();
        place = further == null ? -1 : findIn(further, thread);
        return place < 0 ? -1 : PLACES + place;
    }

    /** Returns the wait at the place; null if there is none. */
    ParkProbes at(int place) {
        if (place < PLACES) return places.get(place);
        AtomicReferenceArray<ParkProbes> further = further();
        return further == null ? null : further.get(place - PLACES);
    }

    /** Returns the place that {@code park} gets; -1 if there is no room. */
    int insert(ParkProbes park) {
        int place = insertInto(places, park);
        if (place >= 0 || more == null) return place;
        if (more.get() == null) {
            more.compareAndSet(null, new AtomicReferenceArray<ParkProbes>(MORE_PLACES));
        }
        place = insertInto(more.get(), park);
        return place < 0 ? -1 : PLACES + place;
    }

    /** Returns false if the wait is not at the place any more. */
    boolean remove(int place, ParkProbes park) {
        if (place < PLACES) return places.compareAndSet(place, park, null);
        AtomicReferenceArray<ParkProbes> further = further();
        return further != null && further.compareAndSet(place - PLACES, park, null);
    }

    private AtomicReferenceArray<ParkProbes> further() {
        return more == null ? null : more.get();
    }

    // Returns the first place of the thread's bucket in `table`.
    private static int bucketOf(AtomicReferenceArray<ParkProbes> table, Thread thread) {
        long spread = ThreadFields.idOf(thread) * SPREAD >>> 40; // 24 bits
        return (int) (spread * (table.length() / BUCKET) >>> 24) * BUCKET;
    }

    private static int findIn(AtomicReferenceArray<ParkProbes> table, Thread thread) {
        int first = bucketOf(table, thread);
        for (int place = first; place < first + BUCKET; ++place) {
            ParkProbes park = table.get(place);
            if (park != null && park.thread == thread) return place;
        }
        return -1;
    }

    private static int insertInto(AtomicReferenceArray<ParkProbes> table, ParkProbes park) {
        int first = bucketOf(table, park.thread);
        for (int place = first; place < first + BUCKET; ++place) {
            if (table.get(place) == null && table.compareAndSet(place, null, park)) return place;
        }
        return -1;
    }
}
