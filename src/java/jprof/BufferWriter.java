package jprof;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import sun.misc.Unsafe;

/**
 * Publishes a record: for Java 8. From Java 9 on the class of {@code META-INF/versions/9} takes its
 * place.
 */
final class BufferWriter {
    private static final Unsafe UNSAFE;
    private static final long ADDRESS;

    static {
        try {
            Field instance = Unsafe.class.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            UNSAFE = (Unsafe) instance.get(null);
            ADDRESS = UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
        } catch (ReflectiveOperationException exception) {
            throw new ExceptionInInitializerError(exception);
        }
    }

    private BufferWriter() {}

    /**
     * Stores 8 bytes at the begin of {@code slot} at once, after all stores before and before all
     * stores after, for a signal handler on this thread.
     */
    static void publish(ByteBuffer slot, long value) {
        UNSAFE.storeFence();
        UNSAFE.putLong(UNSAFE.getLong(slot, ADDRESS), value);
        UNSAFE.storeFence();
    }
}
