package jdk.internal.misc;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;

// On JDK 8 the class is sun.misc.Unsafe: cmake/BootClass.cmake.
import jdk.internal.misc.Unsafe;

/**
 * Reads fields of threads and locks, without a call into the JVM or of a method that the program
 * can override.
 *
 * <p>Classes of this package may use the JDK's own Unsafe.
 */
final class ThreadFields {
    private static final long NONE = -1;

    // open() reads the fields below, not an initializer: an initializer that fails because memory
    // is short would leave the class unusable for the life of the JVM.

    private static boolean isRead;

    private static Unsafe unsafe;

    /** True since JDK 12: Unsafe has getReferenceVolatile; before, it has getObjectVolatile. */
    private static boolean hasReferences;

    /** The class of threads that park by themselves; null: this JDK has none. */
    private static Class<?> virtual;

    /**
     * The class of all virtual threads, also of those that are threads of the system in JVMs
     * without better ones; null: this JDK has none.
     */
    private static Class<?> anyVirtual;

    private static long id;
    private static long vmThread;
    private static long virtualPermit;
    private static long owner;

    /** The offsets that the agent has found (park_permit.h). */
    private static long parkerOffset = NONE;

    private static long counterOffset = NONE;

    private ThreadFields() {}

    /** Called before any other method. Can fail if memory is short; then it may be called again. */
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
     * Returns true if the next park of {@code thread}, the calling thread, returns at once: a
     * thread keeps a permit until then. False: it is not known, or there is no permit yet.
     */
    static boolean hasPermit(Thread thread) {
        if (thread.getClass() == virtual) {
            return virtualPermit != NONE && unsafe.getBooleanVolatile(thread, virtualPermit);
        }
        long counter = counterOffset;
        if (counter == NONE || vmThread == NONE) return false;
        // 0 before a thread starts and after it has ended: never for a running thread, but the
        // check costs nothing.
        long object = unsafe.getLong(thread, vmThread);
        if (object != 0 && parkerOffset != NONE) object = unsafe.getLong(object + parkerOffset);
        return object != 0 && unsafe.getInt(object + counter) > 0;
    }

    static long idOf(Thread thread) {
        return unsafe.getLong(thread, id);
    }

    /** Returns the id of the thread, negative if it is virtual. */
    static long signedIdOf(Thread thread) {
        boolean isVirtual = anyVirtual != null && anyVirtual.isInstance(thread);
        return isVirtual ? -idOf(thread) : idOf(thread);
    }

    /** Returns the signed id of the thread that owns the synchronizer; 0: none does. */
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

    /** Returns the class, not initialized: some such classes start threads as they initialize. */
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
