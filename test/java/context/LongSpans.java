import java.io.File;
import jprof.ThreadContext;

/**
 * Spans that last longer than a chunk, on a thread that sleeps: span 1, and span 2 inside it.
 *
 * <p>usage: {@code java LongSpans MILLIS [FILE]}: the spans last for MILLIS, and until FILE exists.
 *
 * <p>Prints the earliest start and the latest end of each span, in milliseconds since 1970.
 */
public final class LongSpans {
    private LongSpans() {}

    public static void main(String[] arguments) throws InterruptedException {
        long millis = Long.parseLong(arguments[0]);
        File file = new File(arguments.length > 1 ? arguments[1] : ".");
        span(1, () -> span(2, () -> sleep(millis, file)));
    }

    private static void span(long id, Runnable body) {
        long begin = System.currentTimeMillis();
        try (ThreadContext.Scope scope = ThreadContext.open(id, 1)) {
            body.run();
        }
        System.out.println("begin" + id + "=" + begin);
        System.out.println("end" + id + "=" + System.currentTimeMillis());
    }

    private static void sleep(long millis, File file) {
        try {
            Thread.sleep(millis);
            while (!file.exists()) Thread.sleep(1);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
