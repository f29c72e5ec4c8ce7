import java.io.File;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

/**
 * Starts and stops recordings while threads allocate native memory all the time.
 *
 * <p>usage: NativeAllocations agentLibrary nativeFolder folder millis rounds options...
 *
 * <p>Each round makes a recording with each of the options, to folder/out.jfr. The rounds continue
 * for at least `millis` milliseconds and at least `rounds` rounds. Truth: recordings; failed, how
 * many recordings could not be started or stopped; allocations, of all threads.
 */
public final class NativeAllocations {
  private static final int THREADS = 4;
  private static volatile boolean enough;
  private static final AtomicLong allocations = new AtomicLong();

  private NativeAllocations() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    String file = ",file=" + args[2] + "/out.jfr";
    long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000;
    int rounds = Integer.parseInt(args[4]);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Work.start("allocates-" + i, NativeAllocations::allocateUntilTheEnd));
    }
    int recordings = 0;
    int failed = 0;
    for (int round = 0; round < rounds || System.nanoTime() < end; round++) {
      for (int i = 5; i < args.length; i++) {
        recordings++;
        String started = profiler.execute("start," + args[i] + file);
        waitForAllocations();
        String stopped = profiler.execute("stop");
        if (!started.startsWith("recording") || !stopped.startsWith("stopped")) {
          failed++;
          Work.print("failed.answer", args[i] + ": " + started + " / " + stopped);
        }
      }
    }
    enough = true;
    Work.join(threads);
    Work.print("recordings", recordings);
    Work.print("failed", failed);
    Work.print("allocations", allocations.get());
  }

  // Waits for some allocations of each thread, so that each thread allocates during the recording.
  private static void waitForAllocations() throws InterruptedException {
    long wanted = allocations.get() + 200;
    while (allocations.get() < wanted) {
      Thread.sleep(1);
    }
  }

  private static void allocateUntilTheEnd() {
    while (!enough) {
      allocate();
      LockSupport.parkNanos(100_000);  // a heap profiler makes threads wait for each other
    }
  }

  // Allocates with the JDK's library, with zlib, and on the Java heap.
  static void allocate() {
    Deflater deflater = new Deflater();
    deflater.setInput(new byte[64]);
    deflater.end();
    Work.sink += ByteBuffer.allocateDirect(64).capacity();
    allocations.incrementAndGet();
  }
}
