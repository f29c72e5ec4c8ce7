package jprof;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import sun.misc.Unsafe;

/** Publishes a record on Java 8, for {@link BufferWriter}. */
final class UnsafeWriter {
    /** {@code null} if the JVM does not allow access to it. */
    private static final Unsafe UNSAFE = unsafe();
    private static final long ADDRESS = UNSAFE == null ? 0 : address();

    private UnsafeWriter() {}

    static boolean isUsable() {
        return UNSAFE != null;
    }

    private static Unsafe unsafe() {
        try {
            Field instance = Unsafe.class.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return (Unsafe) instance.get(null);
        } catch (ReflectiveOperationException exception) {
            return null;
        } catch (SecurityException exception) {
            return null;
        }
    }

    private static long address() {
        try {
            return UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
        } catch (ReflectiveOperationException exception) {
            throw new ExceptionInInitializerError(exception);
        }
    }

    static void publish(ByteBuffer slot, long value) {
        UNSAFE.storeFence();
        UNSAFE.putLong(UNSAFE.getLong(slot, ADDRESS), value);
        UNSAFE.storeFence();
    }
}
