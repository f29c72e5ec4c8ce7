package java.jprof;

import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;

/**
 * The bean {@code jprof:type=Profiler}. A failed command throws an {@code IllegalStateException},
 * which every client knows without a class of ours. jprof.ProfilerMXBean is an interface for
 * proxies of this bean.
 */
final class BridgeBean implements DynamicMBean {
    private static final String STATUS = "Status";

    BridgeBean() {}

    static void register() {
        try {
            server().registerMBean(new BridgeBean(), name());
        } catch (InstanceAlreadyExistsException exception) {
            return;
        } catch (JMException exception) {
            return;  // commands work without the bean
        }
    }

    static void unregister() {
        try {
            if (server().isInstanceOf(name(), BridgeBean.class.getName()))
                server().unregisterMBean(name());
        } catch (InstanceNotFoundException exception) {
            return;
        } catch (JMException exception) {
            return;
        }
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        if (!STATUS.equals(attribute)) throw new AttributeNotFoundException(attribute);
        return Bridge.execute("status");
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        AttributeList list = new AttributeList();
        for (String attribute : attributes) {
            if (STATUS.equals(attribute))
                list.add(new Attribute(STATUS, Bridge.execute("status")));
        }
        return list;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String operation, Object[] arguments, String[] signature)
            throws ReflectionException {
        boolean hasText = arguments != null && arguments.length == 1
                && arguments[0] instanceof String;
        String text = hasText ? (String) arguments[0] : "";
        if (hasText && operation.equals("execute")) return Bridge.execute(text);
        if (hasText && operation.equals("start"))
            return Bridge.execute(text.isEmpty() ? "start" : "start," + text);
        boolean hasNone = arguments == null || arguments.length == 0;
        if (hasNone && (operation.equals("stop") || operation.equals("dump")))
            return Bridge.execute(operation);
        throw new ReflectionException(new NoSuchMethodException(operation));
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanAttributeInfo[] attributes = {new MBeanAttributeInfo(STATUS, String.class.getName(),
                "What is recorded, how and how much.", true, false, false)};
        MBeanOperationInfo[] operations = {
                operation("execute", "One command, as start,cpu=10ms,file=/tmp/out.jfr.",
                        "command", "Its words, with commas between them."),
                operation("start", "Starts a recording.", "options",
                        "As cpu=10ms,file=/tmp/out.jfr; empty: the agent's defaults."),
                operation("stop", "Stops the recording and completes its file.", null, null),
                operation("dump", "Brings the file up to date; the recording goes on.", null, null),
        };
        return new MBeanInfo(BridgeBean.class.getName(), "The profiler of this JVM.", attributes,
                null, operations, null);
    }

    private static MBeanOperationInfo operation(
            String name, String what, String parameter, String meaning) {
        MBeanParameterInfo[] parameters = parameter == null
                ? new MBeanParameterInfo[0]
                : new MBeanParameterInfo[] {
                          new MBeanParameterInfo(parameter, String.class.getName(), meaning)};
        return new MBeanOperationInfo(
                name, what, parameters, String.class.getName(), MBeanOperationInfo.ACTION);
    }

    private static MBeanServer server() {
        return ManagementFactory.getPlatformMBeanServer();
    }

    private static ObjectName name() throws JMException {
        return new ObjectName("jprof:type=Profiler");
    }
}
