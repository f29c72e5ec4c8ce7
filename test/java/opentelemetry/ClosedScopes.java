import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import jprof.ThreadContext;

/**
 * Closes scopes out of order, twice, or on another thread. OpenTelemetry ignores such calls, and
 * the spans continue.
 *
 * <p>Prints the ids of each span, with the name of the method that runs in it. The span of inOuter
 * lasts from before the first call of inOuter until after the last one.
 */
public final class ClosedScopes {
    private static volatile long sink;

    private ClosedScopes() {}

    public static void main(String[] arguments) throws Exception {
        JprofContextStorage.install();
        SdkTracerProvider provider = SdkTracerProvider.builder().build();
        Tracer tracer = provider.get("test");
        ThreadContext.putTag("tenant", "t1");
        Span outer = start(tracer, "inOuter");
        Span inner = start(tracer, "inInner");
        Scope outerScope = outer.makeCurrent();
        inOuter();
        Scope innerScope = inner.makeCurrent();
        inInner();
        outerScope.close();  // out of order
        inInner();
        innerScope.close();
        innerScope.close();  // a second time
        inOuter();
        Thread other = new Thread(() -> {
            try (Scope scope = inner.makeCurrent()) {
                outerScope.close();  // on another thread
                inInner();
            }
            try (Scope scope = Context.root().makeCurrent()) {
                inNone();
            }
        });
        other.start();
        other.join();
        inOuter();
        outerScope.close();
        inNone();
        provider.close();
    }

    private static Span start(Tracer tracer, String method) {
        Span span = tracer.spanBuilder(method).startSpan();
        System.out.println(method + " " + span.getSpanContext().getTraceId() + " "
                + span.getSpanContext().getSpanId());
        return span;
    }

    private static void inOuter() {
        spin();
    }

    private static void inInner() {
        spin();
    }

    private static void inNone() {
        spin();
    }

    private static void spin() {
        long value = sink;
        for (int i = 0; i < 100_000_000; ++i) value = value * 31 + i;
        sink = value;
    }
}
