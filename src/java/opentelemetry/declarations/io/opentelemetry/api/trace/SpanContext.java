package io.opentelemetry.api.trace;

public interface SpanContext {
    static SpanContext getInvalid() {
        throw new UnsupportedOperationException();
    }

    boolean isValid();

    String getTraceId();

    String getSpanId();

    TraceFlags getTraceFlags();
}
