package jprof;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Publishes a record. From Java 9 on the class in {@code META-INF/versions/9} replaces this one.
 * Jars that are merged from others lose that class; therefore this one also uses a {@code
 * VarHandle} if the JDK has it, but its first call then takes longer.
 */
final class BufferWriter {
    /** Stores a {@code long} at an index of a {@code ByteBuffer}; {@code null} on Java 8. */
    private static final MethodHandle STORE;
    private static final MethodHandle FENCE;

    static {
        MethodHandle store = null;
        MethodHandle fence = null;
        try {
            Class<?> handles = Class.forName("java.lang.invoke.VarHandle");
            Class<?> modes = Class.forName("java.lang.invoke.VarHandle$AccessMode");
            Method longs = MethodHandles.class.getMethod(
                    "byteBufferViewVarHandle", Class.class, ByteOrder.class);
            Field release = modes.getField("SET_RELEASE");
            Object view = longs.invoke(null, long[].class, ByteOrder.nativeOrder());
            store = (MethodHandle) handles.getMethod("toMethodHandle", modes)
                            .invoke(view, release.get(null));
            fence = MethodHandles.lookup().findStatic(
                    handles, "storeStoreFence", MethodType.methodType(void.class));
        } catch (ReflectiveOperationException exception) {
            store = null;
        }
        STORE = store;
        FENCE = fence;
        if (!isUsable())
            System.err.println("[jprof] jprof.ThreadContext has no effect: the security manager"
                    + " denies sun.misc.Unsafe");
    }

    private BufferWriter() {}

    static boolean isUsable() {
        return STORE != null || UnsafeWriter.isUsable();
    }

    /**
     * Stores 8 bytes at the start of {@code slot} by a single store. Is ordered for signal handlers
     * on this thread: a handler that sees this store sees all earlier ones, and a handler that sees
     * a later store sees this one.
     */
    static void publish(ByteBuffer slot, long value) {
        if (STORE == null) {
            UnsafeWriter.publish(slot, value);
            return;
        }
        try {
            STORE.invokeExact(slot, 0, value);
            FENCE.invokeExact();
        } catch (RuntimeException exception) {
            throw exception;
        } catch (Error error) {
            throw error;
        } catch (Throwable checked) {
            throw new IllegalStateException(checked);  // impossible: no checked exception is thrown
        }
    }
}
