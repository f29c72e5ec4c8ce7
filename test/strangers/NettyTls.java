import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyStore;
import java.security.MessageDigest;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Netty with its native transport (epoll) and BoringSSL's TLS: a server whose answer is the digest
 * of the message and the message itself. The clients are the JDK's sockets with the JDK's TLS.
 * Every 50th operation opens a new connection.
 */
public final class NettyTls implements Stranger.Program {
    private static final char[] PASSWORD = "strangers".toCharArray();

    private EventLoopGroup group;
    private Channel channel;
    private SSLContext client;
    private SSLSocket[] sockets;

    @Override
    public void start(int threads) throws Exception {
        KeyStore store = makeKeys();
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SslContext server =
                SslContextBuilder.forServer(keys).sslProvider(SslProvider.OPENSSL).build();
        group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
        channel = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(server.newHandler(made.alloc()),
                                new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4),
                                new LengthFieldPrepender(4), new Digester());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        client = SSLContext.getInstance("TLS");
        client.init(null, trust.getTrustManagers(), null);
        sockets = new SSLSocket[threads];
    }

    private static final class Digester extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message)
                throws Exception {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(message.nioBuffer());
            ByteBuf answer = context.alloc().directBuffer();
            answer.writeBytes(digest.digest()).writeBytes(message);
            context.writeAndFlush(answer);
        }
    }

    private static KeyStore makeKeys() throws Exception {
        File file = Stranger.folder().resolve("keys.p12").toFile();
        if (!file.exists()) {
            new ProcessBuilder(System.getProperty("java.home") + "/bin/keytool", "-genkeypair",
                    "-alias", "key", "-keyalg", "RSA", "-dname", "CN=localhost", "-storetype",
                    "PKCS12", "-keystore", file.getPath(), "-storepass", new String(PASSWORD))
                    .inheritIO()
                    .start()
                    .waitFor();
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (FileInputStream in = new FileInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        if (number % 50 < sockets.length && sockets[thread] != null) {
            sockets[thread].close();
            sockets[thread] = null;
        }
        if (sockets[thread] == null) {
            InetSocketAddress address = (InetSocketAddress) channel.localAddress();
            sockets[thread] = (SSLSocket) client.getSocketFactory().createSocket(
                    address.getAddress(), address.getPort());
            sockets[thread].setTcpNoDelay(true);
        }
        byte[] message = new byte[1000 + number % 97 * 300];
        for (int i = 0; i < message.length; ++i) message[i] = (byte) (i * number);
        DataOutputStream out = new DataOutputStream(sockets[thread].getOutputStream());
        byte[] frame = new byte[message.length + 4];
        java.nio.ByteBuffer.wrap(frame).putInt(message.length).put(message);
        out.write(frame);
        out.flush();
        DataInputStream in = new DataInputStream(sockets[thread].getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return Stranger.hash(0, answer);
    }

    @Override
    public void stop() throws Exception {
        for (SSLSocket each : sockets) each.close();
        channel.close().sync();
        group.shutdownGracefully().sync();
    }
}
