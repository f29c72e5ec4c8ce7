import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts recordings in a full heap that has room for a few small objects, each time for a few more,
 * until a start succeeds.
 *
 * <p>usage: FullHeap agentLibrary startOptions nativeFolder folder
 *
 * <p>Needs a collector that compacts a full heap. Truth: refused, the number of failed starts;
 * broken, the starts after which the agent was neither idle nor recording; answer.start and
 * answer.stop, the answers for a recording to folder/last.jfr, which is made when the heap has room
 * again.
 */
public final class FullHeap {
  private static final int SMALL = 12;  // length of an array whose object has 64 bytes
  private static final int LARGE = 4096;

  private static Object[] large;
  private static Object[] small;

  private FullHeap() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    String last = args[1] + ",file=" + args[3] + "/last.jfr";
    String command = args[1] + ",file=" + args[3] + "/full.jfr";
    profiler.execute("status");
    park();
    int refused = 0;
    int broken = 0;
    for (int room = 0; ; room = Math.max(8, 2 * room)) {
      fill();
      free(room);
      String answer = null;
      try {
        answer = profiler.execute(command);
      } catch (OutOfMemoryError error) {
        // The heap has no room even for the answer.
        answer = null;
      }
      large = small = null;
      park();
      String status = profiler.execute("status");
      if (status.contains("idle")) {
        refused++;
        if (answer != null) {
          Work.print("refused.with", room + ": " + answer);
        }
        continue;
      }
      if (!status.contains("recording")) {
        broken++;
        Work.print("broken.answer", room + ": " + status);
      }
      profiler.execute("stop");
      break;
    }
    Work.print("refused", refused);
    Work.print("broken", broken);
    Work.print("answer.start", profiler.execute(last));
    for (int i = 0; i < 20; i++) {
      park();
    }
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private static void fill() {
    large = chain(null, LARGE);
    small = chain(null, SMALL);
  }

  // Allocates as many blocks as fit into the heap. Each refers to the previous one.
  private static Object[] chain(Object[] last, int length) {
    try {
      while (true) {
        Object[] next = new Object[length];
        next[0] = last;
        last = next;
      }
    } catch (OutOfMemoryError full) {
      return last;
    }
  }

  // Makes room for `room` small objects.
  private static void free(int room) {
    for (; room >= LARGE / SMALL && large != null; room -= LARGE / SMALL) {
      large = (Object[]) large[0];
    }
    for (; room > 0 && small != null; room--) {
      small = (Object[]) small[0];
    }
  }

  private static void park() {
    LockSupport.parkNanos(2_000_000);
  }
}
