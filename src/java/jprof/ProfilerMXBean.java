package jprof;

/**
 * The bean {@code jprof:type=Profiler} of the platform's server, for proxies: {@code
 * JMX.newMXBeanProxy(connection, name, ProfilerMXBean.class)}. A caller of the bean can write files
 * with the rights of this process; the JMX settings of the JVM control who may call it.
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
