import java.util.function.LongSupplier;

/** The agent test/native/walk_probe, which interrupts Java threads and walks their stacks. */
final class WalkProbe {
  private WalkProbe() {}

  /** Starts the interruptions: of all threads or, if times are measured, of the calling thread. */
  static native void begin();

  /** True if the agent has walked as often as it was asked to. */
  static native boolean isDone();

  /**
   * Walks at each instruction of the calling thread from now on. The methods steps, outer and inner
   * of {@code stepped} are on the thread's stack.
   */
  static native void step(Class<?> stepped, String label);

  static native void stop();

  /** Calls {@code supplier} from native code. */
  static native long callBack(LongSupplier supplier);
}
