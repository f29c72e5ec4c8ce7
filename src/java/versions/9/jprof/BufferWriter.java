package jprof;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Publishes a record, from Java 9 on, if the jar has kept this version of the class. */
final class BufferWriter {
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private BufferWriter() {}

    static boolean isUsable() {
        return true;
    }

    /**
     * Stores 8 bytes at the start of {@code slot} by a single store. A signal handler on this
     * thread sees all earlier stores if it sees this one, and this one if it sees a later store.
     */
    static void publish(ByteBuffer slot, long value) {
        LONGS.setRelease(slot, 0, value);
        VarHandle.storeStoreFence();
    }
}
