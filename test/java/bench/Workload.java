/** Work to measure; see Bench. A workload has a constructor without parameters. */
interface Workload {
  default void prepare() throws Exception {}

  /** Does so many operations and returns a checksum of their results. */
  long run(long operations) throws Exception;

  default void close() throws Exception {}
}
