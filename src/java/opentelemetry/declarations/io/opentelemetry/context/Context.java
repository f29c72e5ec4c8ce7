package io.opentelemetry.context;

public interface Context {
    <V> V get(ContextKey<V> key);

    <V> Context with(ContextKey<V> key, V value);
}
