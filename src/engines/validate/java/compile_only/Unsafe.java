package jdk.internal.misc;

/**
 * Declares the members of the JDK's Unsafe that ShadowProbes uses. Only the compiler uses this
 * class.
 */
public abstract class Unsafe {
    public static Unsafe getUnsafe() {
        throw new UnsupportedOperationException();
    }

    public abstract long objectFieldOffset(java.lang.reflect.Field field);

    public abstract int getInt(long address);

    public abstract void putInt(long address, int value);

    public abstract long getLong(long address);

    public abstract long getLong(Object object, long offset);

    public abstract void putLongVolatile(Object object, long offset, long value);
}
