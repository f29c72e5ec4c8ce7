package io.opentelemetry.api.trace;

import io.opentelemetry.context.Context;

public interface Span {
    static Span fromContext(Context context) {
        throw new UnsupportedOperationException();
    }

    SpanContext getSpanContext();
}
