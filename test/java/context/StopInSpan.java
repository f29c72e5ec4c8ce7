import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import jprof.Profiler;
import jprof.ThreadContext;

/**
 * Stops the recording in a span of the main thread, while a thread waits for a monitor and another
 * one is parked. Neither of the two has a context.
 */
public final class StopInSpan {
    private StopInSpan() {}

    public static void main(String[] arguments) throws Exception {
        Object monitor = new Object();
        CountDownLatch started = new CountDownLatch(2);
        Thread waiting;
        Thread parked;
        synchronized (monitor) {
            waiting = new Thread(() -> {
                started.countDown();
                synchronized (monitor) {
                    started.getCount();
                }
            }, "waiting");
            parked = new Thread(() -> {
                started.countDown();
                while (!Thread.interrupted()) LockSupport.park();
            }, "parked");
            waiting.start();
            parked.start();
            started.await();
            while (waiting.getState() != Thread.State.BLOCKED
                    || parked.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            Thread.sleep(100);
            ThreadContext.put(77, 78);
            System.out.println("active=" + (ThreadContext.isActive() ? 1 : 0));
            System.out.println(Profiler.load().stop().replace('\n', ' '));
        }
        parked.interrupt();
        waiting.join();
        parked.join();
    }
}
