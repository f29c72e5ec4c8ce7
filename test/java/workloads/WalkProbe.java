import java.util.function.LongSupplier;

/**
 * Controls the agent test/native/walk_probe, which interrupts Java threads and walks their stacks.
 */
final class WalkProbe {
  private WalkProbe() {}

  /**
   * Starts the interruptions: of all threads or, if the agent measures times, of the calling
   * thread.
   */
  static native void begin();

  /** True if the agent has made the requested number of walks. */
  static native boolean isDone();

  /**
   * Makes the agent walk at each instruction of the calling thread from now on. REQUIRES: the
   * methods steps, outer and inner of the program are on the thread's stack.
   */
  static native void step(String label);

  static native void stop();

  /** Calls {@code supplier} from native code. */
  static native long callBack(LongSupplier supplier);
}
