package jprof;

/**
 * The bean {@code jprof:type=Profiler} of the platform's MBean server. Clients get a proxy by
 * {@code JMX.newMXBeanProxy(connection, name, ProfilerMXBean.class)}. A client can write files with
 * the rights of this process. The JMX settings of the JVM control which clients may use the bean.
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
