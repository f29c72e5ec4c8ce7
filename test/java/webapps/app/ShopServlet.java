import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import jprof.Profiler;
import jprof.ThreadContext;

/**
 * Serves a request by {@code threads} threads, which are virtual if the JDK has virtual threads.
 * Each of them has a context with its own span and a tag. The method span1 runs in the span 1. A
 * request with {@code stop} stops the recording, and is answered with the result.
 */
public final class ShopServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private static volatile long sink;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (request.getParameter("stop") != null) {
            Profiler profiler = (Profiler) getServletContext().getAttribute("profiler");
            response.getWriter().println(profiler.stop());
            return;
        }
        try (ThreadContext.Scope scope = ThreadContext.open(1, 1)) {
            serve(Integer.parseInt(request.getParameter("threads")));
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
        response.getWriter().println(ThreadContext.isActive() ? "served" : "without contexts");
    }

    private static void serve(int threads) throws Exception {
        span1(10_000_000);
        ThreadFactory factory = factory();
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; ++i) {
            factory.newThread(() -> {
                ThreadContext.put(1, 1);
                ThreadContext.putTag("tenant", "a tenant with a name that needs more memory");
                span1(1_000);
                done.countDown();
            }).start();
        }
        done.await();
    }

    private static ThreadFactory factory() throws ReflectiveOperationException {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory").invoke(builder);
        } catch (NoSuchMethodException exception) {
            return Thread::new;
        }
    }

    private static void span1(long nanos) {
        long end = System.nanoTime() + nanos;
        long value = sink;
        do {
            for (int i = 0; i < 500; ++i) value = value * 31 + i;
        } while (System.nanoTime() < end);
        sink = value;
    }
}
