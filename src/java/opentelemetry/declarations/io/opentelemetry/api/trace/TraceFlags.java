package io.opentelemetry.api.trace;

public interface TraceFlags {
    byte asByte();
}
