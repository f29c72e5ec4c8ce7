import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import jprof.ThreadContext;

/** Passes the current span of each thread to jprof. See README.md. */
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

    /**
     * Closes the scope in the wrapped storage. If this ends its context, ends jprof's context too.
     */
    private final class MirroredScope implements Scope {
        private final Thread maker = Thread.currentThread();
        private final Context before;
        private final Scope scope;
        private final ThreadContext.Scope mirror;

        MirroredScope(Context before, Scope scope, ThreadContext.Scope mirror) {
            this.before = before;
            this.scope = scope;
            this.mirror = mirror;
        }

        @Override
        public void close() {
            Context current = storage.current();
            scope.close();
            Context after = storage.current();
            // Storages ignore the call if a scope is closed out of order, twice, or on another
            // thread. The span then stays current.
            if (after == current) return;
            mirror.close();
            if (after != before || Thread.currentThread() != maker) put(after);
        }
    }

    /**
     * The name of ContextStorage in the javaagent's own copy of the API, which its extensions use.
     */
    private static final String OF_AGENT =
            "io.opentelemetry.javaagent.shaded.io.opentelemetry.context.ContextStorage";
    private static final String IN_AGENT = "jprof.opentelemetry.extension";

    private static final ContextKey<Root> ROOT = ContextKey.named("jprof-local-root");

    private final ContextStorage storage;

    private JprofContextStorage(ContextStorage storage) {
        this.storage = storage;
    }

    /**
     * Installs the storage. Must be called before OpenTelemetry is used for the first time. Does
     * nothing if OpenTelemetry's javaagent has this class as an extension, because the extension
     * also sees the spans of the program.
     */
    public static void install() {
        if (ContextStorage.class.getName().equals(OF_AGENT)) {
            System.setProperty(IN_AGENT, "true");
        } else if (System.getProperty(IN_AGENT) != null) {
            return;
        } else if (hasAgent()) {
            System.err.println("[jprof] JprofContextStorage does not see the spans of"
                    + " OpenTelemetry's javaagent: run it with"
                    + " -Dotel.javaagent.extensions=jprof-opentelemetry.jar");
        }
        ContextStorage.addWrapper(JprofContextStorage::new);
    }

    private static boolean hasAgent() {
        try {
            Class.forName(OF_AGENT, false, null);
            return true;
        } catch (ClassNotFoundException exception) {
            return false;
        }
    }

    @Override
    public Scope attach(Context context) {
        if (!ThreadContext.isActive()) return storage.attach(context);
        Context before = storage.current();
        Context attached = withRoot(context);
        Scope scope = storage.attach(attached);
        if (attached == before) return scope;  // neither this call nor the close changes anything
        ThreadContext.Scope mirror = open(attached);
        return new MirroredScope(before, scope, mirror);
    }

    @Override
    public Context current() {
        return storage.current();
    }

    @Override
    public Context root() {
        return storage.root();
    }

    // Adds the root to a context. Contexts that are derived from the result have the root as well,
    // also on other threads.
    private static Context withRoot(Context context) {
        SpanContext span = Span.fromContext(context).getSpanContext();
        Root root = context.get(ROOT);
        if (!span.isValid() || (root != null && root.traceId.equals(span.getTraceId())))
            return context;
        return context.with(ROOT, new Root(span.getTraceId(), number(span.getSpanId(), 0)));
    }

    private static ThreadContext.Scope open(Context context) {
        SpanContext span = Span.fromContext(context).getSpanContext();
        if (!span.isValid()) {
            ThreadContext.Scope scope = ThreadContext.save();
            put(context);
            return scope;
        }
        String trace = span.getTraceId();
        return ThreadContext.open(number(trace, 0), number(trace, 16), number(span.getSpanId(), 0),
                span.getTraceFlags().asByte(), root(context));
    }

    // Puts the ids of a context's span. Tags that the program has given to the thread stay.
    private static void put(Context context) {
        SpanContext span = context == null ? SpanContext.getInvalid()
                                           : Span.fromContext(context).getSpanContext();
        if (!span.isValid()) {
            ThreadContext.put(0, 0);
            return;
        }
        String trace = span.getTraceId();
        ThreadContext.put(number(trace, 0), number(trace, 16), number(span.getSpanId(), 0),
                span.getTraceFlags().asByte(), root(context));
    }

    private static long root(Context context) {
        Root root = context.get(ROOT);
        return root == null ? 0 : root.spanId;
    }

    // Returns the number whose 16 hexadecimal digits start at `at`.
    private static long number(String digits, int at) {
        long number = 0;
        for (int i = at; i < at + 16; ++i)
            number = number << 4 | Character.digit(digits.charAt(i), 16);
        return number;
    }
}
