import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks with and without a permit, in a recording that it starts itself.
 *
 * <p>usage: ParksWithPermit agentLibrary nativeFolder folder [virtual]
 *
 * <p>During the recording main parks with.permit times with a permit, and without.permit times
 * until a timeout. answer is the answer to the stop. With a fourth argument a virtual thread starts
 * the recording.
 */
public final class ParksWithPermit {
  private static final int WITH_PERMIT = 2000;
  private static final int WITHOUT_PERMIT = 100;

  private ParksWithPermit() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    String command = "start,lock,file=" + args[2] + "/out.jfr";
    Runnable start = () -> Work.print("start", profiler.execute(command).replace('\n', '|'));
    Work.print("with.permit", WITH_PERMIT);
    Work.print("without.permit", WITHOUT_PERMIT);
    if (args.length > 3) {
      Thread starter = virtual(start);
      while (starter.isAlive()) Thread.sleep(1);
    } else {
      start.run();
    }
    Thread self = Thread.currentThread();
    for (int i = 0; i < WITH_PERMIT; i++) {
      LockSupport.unpark(self);
      LockSupport.park();
    }
    for (int i = 0; i < WITHOUT_PERMIT; i++) LockSupport.parkNanos(1);
    Work.print("answer", profiler.execute("stop").replace('\n', '|'));
  }

  private static Thread virtual(Runnable body) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
  }
}
