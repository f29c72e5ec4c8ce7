package jdk.internal.misc;

/**
 * Declares the members of the JDK's Unsafe that ThreadFields uses. Only the compiler uses this
 * class.
 */
public abstract class Unsafe {
    public static Unsafe getUnsafe() {
        throw new UnsupportedOperationException();
    }

    public abstract long objectFieldOffset(java.lang.reflect.Field field);

    public abstract byte getByte(long address);

    public abstract void putByte(long address, byte value);

    public abstract int getInt(long address);

    public abstract long getLong(long address);

    public abstract long getLong(Object object, long offset);

    public abstract boolean compareAndSetLong(Object object, long offset, long known, long next);

    public abstract long getAndSetLong(Object object, long offset, long next);

    public abstract boolean getBooleanVolatile(Object object, long offset);

    public abstract Object getObjectVolatile(Object object, long offset);

    public abstract Object getReferenceVolatile(Object object, long offset);
}
