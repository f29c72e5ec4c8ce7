package jdk.internal.misc;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;

// Of JDK 8 it is sun.misc.Unsafe: cmake/BootClass.cmake.
import jdk.internal.misc.Unsafe;

/**
 * Fields of threads and locks, without a call of the JVM or of a method that the program may override.
 *
 * <p>In this package the JDK's own Unsafe may be used.
 */
final class ThreadFields {
    private static final long NONE = -1;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Since JDK 12 it is getReferenceVolatile, before getObjectVolatile. */
    private static final boolean HAS_REFERENCES = hasReferences();

    /** Those that park by themselves; null: this JDK has none. */
    private static final Class<?> VIRTUAL = classOf("java.lang.VirtualThread");

    /** All virtual threads, also those that are threads of the system for want of better ones. */
    private static final Class<?> ANY_VIRTUAL = classOf("java.lang.BaseVirtualThread");

    private static final long ID = offsetOf(Thread.class, "tid");
    private static final long VM_THREAD = offsetOf(Thread.class, "eetop");
    private static final long VIRTUAL_PERMIT = offsetOf(VIRTUAL, "parkPermit");
    private static final long OWNER =
            offsetOf(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");

    /** As the agent has found them (park_permit.h). */
    private static long parkerOffset = NONE;

    private static long counterOffset = NONE;

    private ThreadFields() {}

    static void open(long parker, long counter) {
        parkerOffset = parker;
        counterOffset = counter;
    }

    /**
     * Whether the next park of {@code thread}, the calling one, returns at once: who is given a permit
     * keeps it until then. False: it is not known, or there is none yet.
     */
    static boolean hasPermit(Thread thread) {
        if (thread.getClass() == VIRTUAL) {
            return VIRTUAL_PERMIT != NONE && UNSAFE.getBooleanVolatile(thread, VIRTUAL_PERMIT);
        }
        long counter = counterOffset;
        if (counter == NONE || VM_THREAD == NONE) return false;
        // 0 before a thread starts and once it has ended: never of one that runs, but it costs nothing.
        long object = UNSAFE.getLong(thread, VM_THREAD);
        if (object != 0 && parkerOffset != NONE) object = UNSAFE.getLong(object + parkerOffset);
        return object != 0 && UNSAFE.getInt(object + counter) > 0;
    }

    static long idOf(Thread thread) {
        return UNSAFE.getLong(thread, ID);
    }

    /** Negative if the thread is virtual. */
    static long signedIdOf(Thread thread) {
        boolean isVirtual = ANY_VIRTUAL != null && ANY_VIRTUAL.isInstance(thread);
        return isVirtual ? -idOf(thread) : idOf(thread);
    }

    /** The signed id of the thread that owns the synchronizer; 0: none does. */
    static long ownerOf(AbstractOwnableSynchronizer lock) {
        if (OWNER == NONE) return 0;
        Object owner = HAS_REFERENCES
                ? UNSAFE.getReferenceVolatile(lock, OWNER) : UNSAFE.getObjectVolatile(lock, OWNER);
        return owner == null ? 0 : signedIdOf((Thread) owner);
    }

    private static boolean hasReferences() {
        try {
            Unsafe.class.getMethod("getReferenceVolatile", Object.class, long.class);
            return true;
        } catch (NoSuchMethodException old) {
            return false;
        }
    }

    /** Not initialized: some such classes start threads then. */
    private static Class<?> classOf(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    private static long offsetOf(Class<?> type, String field) {
        if (type == null) return NONE;
        try {
            return UNSAFE.objectFieldOffset(type.getDeclaredField(field));
        } catch (NoSuchFieldException none) {
            return NONE;
        }
    }
}
