package jdk.internal.vm;

/** Declares the member of the JDK's ThreadContainers that EarlierWaits uses. */
public final class ThreadContainers {
    private ThreadContainers() {}

    public static ThreadContainer root() {
        throw new UnsupportedOperationException();
    }
}
