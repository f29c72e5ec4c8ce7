package jdk.internal.misc;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;

// Of JDK 8 it is sun.misc.Unsafe: cmake/BootClass.cmake.
import jdk.internal.misc.Unsafe;

/**
 * Fields of threads and locks, without a call of the JVM or of a method that the program may
 * override.
 *
 * <p>In this package the JDK's own Unsafe may be used.
 */
final class ThreadFields {
    private static final long NONE = -1;

    // Read by open(), not by an initializer: one that fails for want of memory would leave the
    // class unusable for the life of the JVM.

    private static boolean isRead;

    private static Unsafe unsafe;

    /** Since JDK 12 it is getReferenceVolatile, before getObjectVolatile. */
    private static boolean hasReferences;

    /** The class of threads that park by themselves; null: this JDK has none. */
    private static Class<?> virtual;

    /** All virtual threads, also those that are threads of the system for want of better ones. */
    private static Class<?> anyVirtual;

    private static long id;
    private static long vmThread;
    private static long virtualPermit;
    private static long owner;

    /** As the agent has found them (park_permit.h). */
    private static long parkerOffset = NONE;

    private static long counterOffset = NONE;

    private ThreadFields() {}

    /** Before any other method. May fail for want of memory, and be called again. */
    static void open(long parker, long counter) {
        if (!isRead) read();
        parkerOffset = parker;
        counterOffset = counter;
    }

    private static void read() {
        unsafe = Unsafe.getUnsafe();
        hasReferences = hasReferences();
        virtual = classOf("java.lang.VirtualThread");
        anyVirtual = classOf("java.lang.BaseVirtualThread");
        id = offsetOf(Thread.class, "tid");
        vmThread = offsetOf(Thread.class, "eetop");
        virtualPermit = offsetOf(virtual, "parkPermit");
        owner = offsetOf(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");
        isRead = true;
    }

    /**
     * Whether the next park of {@code thread}, the calling one, returns at once: who is given a
     * permit keeps it until then. False: it is not known, or there is none yet.
     */
    static boolean hasPermit(Thread thread) {
        if (thread.getClass() == virtual) {
            return virtualPermit != NONE && unsafe.getBooleanVolatile(thread, virtualPermit);
        }
        long counter = counterOffset;
        if (counter == NONE || vmThread == NONE) return false;
        // 0 before a thread starts and once it has ended: never of one that runs, but it costs
        // nothing.
        long object = unsafe.getLong(thread, vmThread);
        if (object != 0 && parkerOffset != NONE) object = unsafe.getLong(object + parkerOffset);
        return object != 0 && unsafe.getInt(object + counter) > 0;
    }

    static long idOf(Thread thread) {
        return unsafe.getLong(thread, id);
    }

    /** Negative if the thread is virtual. */
    static long signedIdOf(Thread thread) {
        boolean isVirtual = anyVirtual != null && anyVirtual.isInstance(thread);
        return isVirtual ? -idOf(thread) : idOf(thread);
    }

    /** The signed id of the thread that owns the synchronizer; 0: none does. */
    static long ownerOf(AbstractOwnableSynchronizer lock) {
        if (owner == NONE) return 0;
        Object thread = hasReferences
                ? unsafe.getReferenceVolatile(lock, owner) : unsafe.getObjectVolatile(lock, owner);
        return thread == null ? 0 : signedIdOf((Thread) thread);
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
            return unsafe.objectFieldOffset(type.getDeclaredField(field));
        } catch (NoSuchFieldException none) {
            return NONE;
        }
    }
}
