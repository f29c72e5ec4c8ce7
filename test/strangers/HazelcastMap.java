import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicates;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Hazelcast: a member and its client over TCP; puts, entry processors and queries of a map. */
public final class HazelcastMap implements Stranger.Program {
    private static final int KEYS = 10;

    private HazelcastInstance member;
    private HazelcastInstance client;
    private IMap<Integer, String> map;

    @Override
    public void start(int threads) {
        Config config = new Config();
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.getMetricsConfig().setEnabled(false);
        config.getNetworkConfig().setPublicAddress("127.0.0.1").setPort(25701);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        member = Hazelcast.newHazelcastInstance(config);
        ClientConfig how = new ClientConfig();
        how.setProperty("hazelcast.logging.type", "none");
        int port = member.getCluster().getLocalMember().getAddress().getPort();
        how.getNetworkConfig().addAddress("127.0.0.1:" + port);
        client = HazelcastClient.newHazelcastClient(how);
        map = client.getMap("words");
    }

    @Override
    public long operation(int thread, int number) {
        for (int i = 0; i < KEYS; ++i) map.put(number * KEYS + i, "word " + number + " " + i);
        Map<Integer, String> found = new TreeMap<>(
                map.getAll(Set.of(number * KEYS + 1, number * KEYS + 7)));
        long sum = Stranger.hash(0, found.toString());
        if (number % 20 == 0) {
            TreeMap<Integer, String> queried = new TreeMap<>();
            for (Map.Entry<Integer, String> each : map.entrySet(
                    Predicates.between("__key", number * KEYS, number * KEYS + 4))) {
                queried.put(each.getKey(), each.getValue());
            }
            sum = Stranger.hash(sum, queried.toString());
        }
        return Stranger.hash(sum, map.remove(number * KEYS));
    }

    @Override
    public void stop() {
        client.shutdown();
        member.shutdown();
    }
}
