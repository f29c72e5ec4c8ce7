package jprof;

/**
 * The bean {@code jprof:type=Profiler} of the platform's server, for proxies: {@code
 * JMX.newMXBeanProxy(connection, name, ProfilerMXBean.class)}. Whoever may call it may write files
 * as this process; who that is, the JVM's settings of JMX say.
 */
public interface ProfilerMXBean {
    /** See {@link Profiler#execute}. */
    String execute(String command);

    /** See {@link Profiler#start}. */
    String start(String options);

    /** See {@link Profiler#stop}. */
    String stop();

    /** See {@link Profiler#dump}. */
    String dump();

    /** See {@link Profiler#status}. */
    String getStatus();
}
