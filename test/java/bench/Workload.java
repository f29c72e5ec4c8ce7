/** Work to be measured by Bench and Windows. A workload has a constructor without parameters. */
interface Workload {
  static Workload named(String className) throws ReflectiveOperationException {
    return (Workload) Class.forName(className).getDeclaredConstructor().newInstance();
  }

  default void prepare() throws Exception {}

  /** Does `operations` operations and returns a checksum of their results. */
  long run(long operations) throws Exception;

  default void close() throws Exception {}
}
