package jdk.internal.vm;

import java.util.stream.Stream;

/** Declares the members of the JDK's ThreadContainer that EarlierWaits uses. */
public abstract class ThreadContainer {
    public abstract Stream<Thread> threads();

    public abstract Stream<ThreadContainer> children();
}
