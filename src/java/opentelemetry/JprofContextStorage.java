import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import jprof.ThreadContext;

/** Tells jprof the current span of each thread. See README.md. */
public final class JprofContextStorage implements ContextStorage {
    /** The first span of a trace in this process. */
    private static final class Root {
        final String traceId;
        final long spanId;

        Root(String traceId, long spanId) {
            this.traceId = traceId;
            this.spanId = spanId;
        }
    }

    private static final ContextKey<Root> ROOT = ContextKey.named("jprof-local-root");

    private final ContextStorage storage;

    private JprofContextStorage(ContextStorage storage) {
        this.storage = storage;
    }

    /** Before OpenTelemetry is used for the first time. */
    public static void install() {
        ContextStorage.addWrapper(JprofContextStorage::new);
    }

    @Override
    public Scope attach(Context context) {
        if (!ThreadContext.isActive()) return storage.attach(context);
        Context attached = withRoot(context);
        Scope scope = storage.attach(attached);
        ThreadContext.Scope told = open(attached);
        return () -> {
            scope.close();
            told.close();
            // Whatever the order in which scopes are closed.
            open(storage.current());
        };
    }

    @Override
    public Context current() {
        return storage.current();
    }

    @Override
    public Context root() {
        return storage.root();
    }

    // Contexts that are made from this one have the root too, in whatever thread.
    private static Context withRoot(Context context) {
        SpanContext span = Span.fromContext(context).getSpanContext();
        Root root = context.get(ROOT);
        if (!span.isValid() || (root != null && root.traceId.equals(span.getTraceId())))
            return context;
        return context.with(ROOT, new Root(span.getTraceId(), number(span.getSpanId(), 0)));
    }

    private static ThreadContext.Scope open(Context context) {
        SpanContext span = context == null ? SpanContext.getInvalid()
                                           : Span.fromContext(context).getSpanContext();
        if (!span.isValid()) {
            ThreadContext.Scope scope = ThreadContext.save();
            ThreadContext.clear();
            return scope;
        }
        Root root = context.get(ROOT);
        String trace = span.getTraceId();
        return ThreadContext.open(number(trace, 0), number(trace, 16), number(span.getSpanId(), 0),
                span.getTraceFlags().asByte(), root == null ? 0 : root.spanId);
    }

    // Of 16 hexadecimal digits.
    private static long number(String digits, int at) {
        long number = 0;
        for (int i = at; i < at + 16; ++i)
            number = number << 4 | Character.digit(digits.charAt(i), 16);
        return number;
    }
}
