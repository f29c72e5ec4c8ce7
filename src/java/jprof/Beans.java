package jprof;

import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;

/** The bean {@code jprof:type=Profiler}, also as the way to a profiler of another class loader. */
final class Beans {
    /** The profiler of the class loader that has the library. */
    static final class Remote {
        private final MBeanServer server;
        private final ObjectName name;

        Remote(MBeanServer server, ObjectName name) {
            this.server = server;
            this.name = name;
        }

        String execute(String command) {
            try {
                return (String) server.invoke(name, "execute", new Object[] {command},
                        new String[] {String.class.getName()});
            } catch (RuntimeMBeanException exception) {
                throw new ProfilerException(exception.getTargetException().getMessage(), exception);
            } catch (MBeanException exception) {
                throw new ProfilerException(exception.getTargetException().getMessage(), exception);
            } catch (JMException exception) {
                throw new ProfilerException(
                        "the bean " + name + " does not answer: " + exception, exception);
            }
        }
    }

    private static final class Bean implements ProfilerMXBean {
        private final Profiler profiler;

        Bean(Profiler profiler) {
            this.profiler = profiler;
        }

        // Messages alone: a client of JMX need not have the class of the exception.
        @Override
        public String execute(String command) {
            try {
                return profiler.execute(command);
            } catch (ProfilerException exception) {
                throw new IllegalStateException(exception.getMessage());
            }
        }

        @Override
        public String start(String options) {
            return execute(options.isEmpty() ? "start" : "start," + options);
        }

        @Override
        public String stop() {
            return execute("stop");
        }

        @Override
        public String dump() {
            return execute("dump");
        }

        @Override
        public String getStatus() {
            return execute("status");
        }
    }

    private static final String NAME = "jprof:type=Profiler";

    private Beans() {}

    /** {@code null}: no other class loader has a profiler. */
    static Remote find() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName(NAME);
            return server.isRegistered(name) ? new Remote(server, name) : null;
        } catch (JMException exception) {
            return null;
        }
    }

    static void register(Profiler profiler) {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(
                    new Bean(profiler), new ObjectName(NAME));
        } catch (InstanceAlreadyExistsException exception) {
            // Another copy of this class, at the same moment: either bean leads to the profiler.
        } catch (JMException exception) {
            // The profiler works without it.
        }
    }
}
