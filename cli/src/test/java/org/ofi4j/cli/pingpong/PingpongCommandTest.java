// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.cli.Background;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader.Value;

/** Both sides are ours; {@link PingpongInteropTest} has the C program on the other side. */
class PingpongCommandTest {
  @Test
  void clientAndServerMeasureAllSizes() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server =
        Background.run("pingpong", "-I", "50", "-S", "all", "-c", "-B", port, "--json");
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client =
        CommandRun.of("pingpong", "-I", "50", "-S", "all", "-c", "-P", port, "127.0.0.1");
    CommandRun served = Background.finished(server);

    assertThat(client.err()).isEmpty();
    assertThat(client.code()).isZero();
    assertThat(served.code()).isZero();
    List<String> table = client.out().lines().toList();
    assertThat(table.getFirst().split("\\s+"))
        .containsExactly(
            "bytes",
            "#sent",
            "#ack",
            "total",
            "time",
            "MB/sec",
            "usec/xfer",
            "Mxfers/sec",
            "p50",
            "p99",
            "max");
    assertThat(table.stream().skip(1).map(line -> line.split("\\s+")[0]))
        .containsExactly(
            "0", "1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64", "96", "128",
            "192", "256", "384", "512", "768", "1k");
    assertThat(table.stream().skip(1)).allMatch(line -> line.contains(" =50 "));

    Value json = served.json();
    assertThat(json.get("role").text()).isEqualTo("server");
    assertThat(json.get("verified").isTrue()).isTrue();
    assertThat(json.get("error").isNull()).isTrue();
    List<Value> results = json.get("results").list();
    assertThat(results).hasSize(21);
    for (Value result : results) {
      Value latency = result.get("halfRoundTripUsec");
      assertThat(result.get("acknowledged").number()).isEqualTo(50);
      assertThat(latency.get("p50").number())
          .isPositive()
          .isLessThanOrEqualTo(latency.get("p99").number());
      assertThat(latency.get("p99").number()).isLessThanOrEqualTo(latency.get("max").number());
    }
  }

  @Test
  void overIpv6() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server = Background.run("pingpong", "-6", "-B", port);
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client = CommandRun.of("pingpong", "-6", "-P", port, "::1", "--json");
    assertThat(client.err()).isEmpty();
    assertThat(client.json().get("peer").text()).startsWith("fi_sockaddr_in6://[::1]:");
    assertThat(Background.finished(server).code()).isZero();
  }

  /** Over TCP there are no datagrams to lose, so the lists of sizes go on to the end. */
  @ParameterizedTest
  @CsvSource({"rdm, msg", "rdm, tagged", "msg, msg", "msg, tagged"})
  void reliableMessages(String type, String kind) throws Exception {
    String port = String.valueOf(Background.freePort());
    String[] options = {"pingpong", "-e", type, "-m", kind, "-c", "--json"};
    CompletableFuture<CommandRun> server = Background.run(with(options, "-B", port));
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client = CommandRun.of(with(options, "-P", port, "127.0.0.1"));
    assertThat(client.err()).isEmpty();
    CommandRun served = Background.finished(server);
    assertThat(served.err()).isEmpty();
    for (CommandRun run : List.of(client, served)) {
      assertThat(run.code()).isZero();
      assertThat(run.json().get("provider").text()).isEqualTo("tcp");
      assertThat(run.json().get("results").list())
          .extracting(result -> (int) result.get("bytes").number())
          .containsExactly(64, 256, 1024, 4096, 65_536, 1_048_576);
    }
  }

  private static String[] with(String[] options, String... more) {
    return Stream.of(options, more).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void oneSizeLongerThanTheDefaults() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server =
        Background.run("pingpong", "-S", "40000", "-c", "-B", port);
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client = CommandRun.of("pingpong", "-S", "40000", "-c", "-P", port, "127.0.0.1");
    assertThat(client.err()).isEmpty();
    assertThat(client.out()).contains("39k ");
    assertThat(Background.finished(server).code()).isZero();
  }

  @Test
  void verboseTellsTheSteps() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server = Background.run("pingpong", "-v", "-B", port);
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client = CommandRun.of("pingpong", "-v", "-P", port, "127.0.0.1");
    assertThat(client.err()).contains("[debug] received the peer's address fi_sockaddr_in://");
    assertThat(Background.finished(server).err()).contains("[debug] waiting for a client on port");
  }

  @Test
  void differentDataIsNoticed() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server = Background.run("pingpong", "-B", port);
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client = CommandRun.of("pingpong", "-c", "-P", port, "127.0.0.1", "--json");
    assertThat(client.code()).isEqualTo(1);
    assertThat(client.err()).contains("Error at iteration=1 size=64 byte=0");
    assertThat(client.json().get("error").text()).contains("Error at iteration=1");
    CommandRun served = Background.finished(server);
    assertThat(served.code()).isEqualTo(1);
    assertThat(served.err()).contains("the other side ended the test");
  }

  @Test
  void nobodyThere() throws Exception {
    String port = String.valueOf(Background.freePort());
    CommandRun run = CommandRun.of("pingpong", "-P", port, "127.0.0.1");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("cannot connect to 127.0.0.1 port " + port);
  }

  @Test
  void aPortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      CommandRun run = CommandRun.of("pingpong", "-B", String.valueOf(taken.getLocalPort()));
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("cannot listen on port " + taken.getLocalPort());
    }
  }

  /** A datagram that never comes back ends the run in time, with a sentence. */
  @Test
  void aLostDatagramDoesNotHang() throws Exception {
    try (FakeServer server = new FakeServer();
        DatagramSocket sink = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      CompletableFuture<CommandRun> client =
          Background.run(
              "pingpong", "--timeout", "1", "-P", String.valueOf(server.port()), "127.0.0.1");
      server.accept();
      server.sendName(sink.getLocalPort());
      server.receiveName();
      server.synchronize();
      CommandRun run = Background.finished(client);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("no message for 1 s", "iteration 0 of 64 bytes");
    }
  }

  @Test
  void aServerThatSaysNothing() throws Exception {
    try (FakeServer server = new FakeServer()) {
      CompletableFuture<CommandRun> client =
          Background.run(
              "pingpong", "--timeout", "1", "-P", String.valueOf(server.port()), "127.0.0.1");
      server.accept();
      CommandRun run = Background.finished(client);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err())
          .contains("the other side did not send the length of its address within 1 s");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1025, -1, Integer.MAX_VALUE})
  void aServerWithAnAbsurdAddress(int length) throws Exception {
    try (FakeServer server = new FakeServer()) {
      CompletableFuture<CommandRun> client =
          Background.run("pingpong", "-P", String.valueOf(server.port()), "127.0.0.1");
      server.accept();
      server.out.write(ByteBuffer.allocate(4).putInt(length).array());
      CommandRun run = Background.finished(client);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("address of " + Integer.toUnsignedString(length) + " bytes");
    }
  }

  @Test
  void aClientThatTalksNonsense() throws Exception {
    int port = Background.freePort();
    CompletableFuture<CommandRun> server =
        Background.run("pingpong", "-B", String.valueOf(port), "--timeout", "5");
    try (Socket client = Background.connect(port)) {
      client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      CommandRun run = Background.finished(server);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("announces an address of", "does not speak the protocol");
    }
  }

  /** Asked before anybody waits or connects, as a server and as a client whom nobody would hear. */
  @ParameterizedTest
  @ValueSource(
      strings = {"-f nowhere", "-m tagged", "-p no-such-provider", "-d nowhere", "-s 203.0.113.77"})
  void whatNoProviderOffersEndsAtOnce(String options) throws Exception {
    String[] words = options.split(" ");
    String port = String.valueOf(Background.freePort());
    CommandRun server =
        Background.finished(Background.run("pingpong", words[0], words[1], "-B", port));
    CommandRun client =
        CommandRun.of("pingpong", words[0], words[1], "-P", port, "127.0.0.1", "--json");
    for (CommandRun run : List.of(server, client)) {
      assertThat(run.code()).isEqualTo(61);
      assertThat(run.err()).contains("nothing meets the hints").doesNotContain("connect to");
    }
    assertThat(client.json().get("error").text()).contains("nothing meets the hints");
  }

  /** The client counts to more than the server does. */
  @Test
  void sidesThatCountDifferentlyLearnTheLikelyCause() throws Exception {
    String port = String.valueOf(Background.freePort());
    CompletableFuture<CommandRun> server =
        Background.run("pingpong", "-I", "20", "-S", "64", "--timeout", "2", "-B", port);
    Background.awaitListening(Integer.parseInt(port));
    CommandRun client =
        CommandRun.of(
            "pingpong", "-I", "10", "-S", "64", "--timeout", "1", "-P", port, "127.0.0.1");
    assertThat(client.err())
        .contains(
            "the other side did not send its confirmation of our count within 1 s;"
                + " do both sides have the same -I, -S and -c?");
    assertThat(Background.finished(server).code()).isEqualTo(1);
  }

  @Test
  void aControlConnectionThatBreaks() throws Exception {
    try (FakeServer server = new FakeServer()) {
      CompletableFuture<CommandRun> client =
          Background.run("pingpong", "-P", String.valueOf(server.port()), "127.0.0.1");
      server.accept();
      server.sendName(9);
      server.receiveName();
      // Closed without time to linger, the connection is reset.
      server.socket.setSoLinger(true, 0);
      server.socket.close();
      CommandRun run = Background.finished(client);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("the control connection broke (");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-I -1", "-B 70000", "-P x", "-S big", "-e pigeon", "-m smoke", "--timeout 0"})
  void wrongNumbersAreUsageErrors(String options) {
    String[] words = options.split(" ");
    CommandRun run = CommandRun.of("pingpong", words[0], words[1], "127.0.0.1");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(words[1]);
  }

  /** Speaks the server's part as far as a test wants. */
  private static final class FakeServer implements AutoCloseable {
    private final ServerSocket listener;
    private Socket socket;
    private DataInputStream in;
    private DataOutputStream out;

    FakeServer() throws Exception {
      listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    }

    int port() {
      return listener.getLocalPort();
    }

    void accept() throws Exception {
      socket = listener.accept();
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
    }

    void sendName(int port) throws Exception {
      out.writeInt(16);
      out.write(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(2).array());
      ByteBuffer address = ByteBuffer.allocate(16);
      address.order(ByteOrder.nativeOrder()).putShort((short) 2);
      address.order(ByteOrder.BIG_ENDIAN).putShort((short) port).putInt(0x7F00_0001);
      out.write(address.array());
    }

    void receiveName() throws Exception {
      in.readFully(new byte[in.readInt() + 4]);
    }

    void synchronize() throws Exception {
      in.readFully(new byte[2]);
      out.write(new byte[] {'a', 0});
    }

    @Override
    public void close() throws IOException {
      if (socket != null) {
        socket.close();
      }
      listener.close();
    }
  }
}
