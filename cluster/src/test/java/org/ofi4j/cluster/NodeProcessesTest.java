// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;

/** JVMs of one node that share a vector, ended with {@code kill -9}. */
class NodeProcessesTest {
  @TempDir Path directory;

  private final TestTree tree = new TestTree();
  private final List<Sharer> sharers = new ArrayList<>();

  /** Shares a vector; prints what it hears, and when asked what is in the vector. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      CuratorFramework client =
          CuratorFrameworkFactory.newClient(
              arguments[0], TestTree.SHORT_SESSION, 5_000, new RetryNTimes(50, 100));
      client.start();
      Cluster cluster =
          Cluster.of(client, ClusterOptions.of("node").withTimeout(Duration.ofSeconds(20)));
      TestNetwork network = new TestNetwork();
      AddressVector vector = network.nodeVector("shared");
      String name = arguments[1];
      FabricAddress address = TestNetwork.address(Integer.parseInt(arguments[2]));
      if (arguments[3].equals("service")) {
        Service service = cluster.service("service");
        service.join(name, address, MemberOptions.none());
        service.fill(vector, Duration.ofMillis(200), Child::say);
      } else {
        cluster
            .job("job", 3)
            .join(
                vector,
                address,
                Integer.parseInt(name),
                Duration.ofDays(1),
                MemberOptions.none(),
                Child::say);
      }
      BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      while (questions.readLine() != null) {
        StringBuilder all = new StringBuilder("entries");
        vector
            .handles()
            .forEach(handle ->
                all.append(' ')
                    .append(((FabricAddress.SocketAddress4) vector.lookup(handle)).port())
                    .append('=')
                    .append(handle));
        System.out.println(all);
      }
    }

    private static void say(MemberEvent event) {
      String more =
          switch (event) {
            case MemberEvent.Joined(var _, long handle) -> " " + handle;
            case MemberEvent.Left(var _, long handle) -> " " + handle;
            case MemberEvent.Moved(var _, long handle, var _) -> " " + handle;
            case MemberEvent.Refused(var _, var errno, var _) -> " " + errno;
            case MemberEvent.StateChanged(var _, var state) -> " " + state;
          };
      System.out.println(event.getClass().getSimpleName() + " " + event.member().name() + more);
    }
  }

  /** One process, as the test sees it. */
  private final class Sharer {
    final Process process;
    final PrintWriter questions;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    Sharer(String name, int port, String kind) throws IOException {
      String classPath =
          Stream.of("jdk.module.path", "java.class.path")
              .map(System::getProperty)
              .filter(Objects::nonNull)
              .collect(Collectors.joining(System.getProperty("path.separator")));
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx128m",
                  "-Dofi4j.share.directory=" + directory.resolve("vectors"),
                  "-cp",
                  classPath,
                  Child.class.getName(),
                  tree.server.getConnectString(),
                  name,
                  Integer.toString(port),
                  kind)
              .redirectError(Redirect.INHERIT)
              .start();
      questions = new PrintWriter(process.getOutputStream(), true, UTF_8);
      sharers.add(this);
      Thread.ofVirtual()
          .start(() -> {
            try (BufferedReader output = process.inputReader(UTF_8)) {
              output.lines().forEach(lines::add);
            } catch (IOException ended) {
              lines.add("ended");
            }
          });
    }

    private String line() {
      try {
        return lines.take();
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }

    /** The handle of the next event about a member, of this kind. */
    long hears(String kind, String name) {
      while (true) {
        String[] words = line().split(" ", -1);
        if (words.length == 3 && words[1].equals(name)) {
          assertThat(words[0]).isEqualTo(kind);
          return Long.parseLong(words[2]);
        }
      }
    }

    /** The handle of each port. */
    Map<Integer, Long> entries() {
      questions.println("?");
      while (true) {
        String line = line();
        if (line.startsWith("entries")) {
          return Arrays.stream(line.split(" ", -1))
              .skip(1)
              .map(each -> each.split("=", -1))
              .collect(
                  Collectors.toMap(
                      each -> Integer.parseInt(each[0]),
                      each -> Long.parseLong(each[1]),
                      (one, other) -> one,
                      TreeMap::new));
        }
      }
    }

    void kill() {
      process.destroyForcibly().onExit().join();
      sharers.remove(this);
    }
  }

  @AfterEach
  void close() {
    List.copyOf(sharers).forEach(Sharer::kill);
    tree.close();
  }

  private Sharer inserting(CuratorFramework client, String group) throws Exception {
    String tables = new GroupPaths("/ofi4j", group).table("node", "");
    String parent = tables.substring(0, tables.length() - 1);
    String vector = client.getChildren().forPath(parent).getFirst();
    // It is not started, and so only looks.
    @SuppressWarnings("resource")
    LeaderLatch latch = new LeaderLatch(client, parent + "/" + vector);
    long id = Long.parseLong(latch.getLeader().getId());
    return sharers.stream().filter(each -> each.process.pid() == id).findFirst().orElseThrow();
  }

  /** The files of entries of the vector, and their length. */
  private List<Long> files() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("vectors"))) {
      return files
          .filter(each -> each.toString().endsWith(".entries"))
          .map(each -> each.toFile().length())
          .toList();
    }
  }

  @Test
  @DisplayName("One copy of the entries, one that inserts, and when it is killed another one does")
  void service() throws Exception {
    TestTree.Process far = tree.process("far");
    Membership moving = far.service().join("x", TestNetwork.address(6000), MemberOptions.none());
    for (int i = 0; i < 3; i++) {
      new Sharer("m" + i, 5000 + i, "service");
    }
    Map<Integer, Long> handles = new TreeMap<>();
    handles.put(6000, sharers.getFirst().hears("Joined", "x"));
    for (int i = 0; i < 3; i++) {
      handles.put(5000 + i, 0L);
    }
    for (Sharer each : sharers) {
      Awaited.until(() -> each.entries().keySet().equals(handles.keySet()));
    }
    handles.putAll(sharers.getFirst().entries());
    for (Sharer each : sharers) {
      assertThat(each.entries()).isEqualTo(handles);
    }
    assertThat(files()).hasSize(1);

    // While nobody inserts, a member goes elsewhere.
    Sharer inserting = inserting(far.client(), "service");
    int killed = 5000 + sharers.indexOf(inserting);
    inserting.kill();
    moving.close();
    far.service().join("x", TestNetwork.address(6001), MemberOptions.none());
    long left = Objects.requireNonNull(handles.remove(killed));
    long moved = Objects.requireNonNull(handles.remove(6000));
    handles.put(6001, moved);
    for (Sharer each : sharers) {
      assertThat(each.hears("Left", "m" + (killed - 5000))).isEqualTo(left);
      assertThat(each.entries()).isEqualTo(handles);
    }
    assertThat(inserting(far.client(), "service")).isNotEqualTo(inserting);
    assertThat(files()).hasSize(1);

    // All die, and others begin with who is there.
    List.copyOf(sharers).forEach(Sharer::kill);
    Sharer one = new Sharer("n", 5009, "service");
    Awaited.until(() -> one.entries().keySet().equals(Set.of(5009, 6001)));
    assertThat(files()).hasSize(1);
  }

  private void signal(Sharer sharer, String signal) throws Exception {
    String pid = Long.toString(sharer.process.pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
  }

  @Test
  @Tag("long")
  @DisplayName(
      "Another one inserts while the one that did is stopped, which then hears what it missed")
  void stopped() throws Exception {
    TestTree.Process far = tree.process("far");
    Membership moving = far.service().join("x", TestNetwork.address(6000), MemberOptions.none());
    new Sharer("m0", 5000, "service");
    long x = sharers.getFirst().hears("Joined", "x");
    new Sharer("m1", 5001, "service");
    long m1 = sharers.getFirst().hears("Joined", "m1");
    Sharer stopped = inserting(far.client(), "service");
    Sharer other = sharers.get(1 - sharers.indexOf(stopped));
    assertThat(stopped).isSameAs(sharers.getFirst());
    signal(stopped, "STOP");
    moving.close();
    far.service().join("x", TestNetwork.address(6001), MemberOptions.none());
    other.hears("Joined", "m0");
    other.hears("Left", "m0");
    far.service().join("y", TestNetwork.address(6002), MemberOptions.none());
    long y = other.hears("Joined", "y");
    assertThat(other.entries()).isEqualTo(Map.of(6001, x, 5001, m1, 6002, y));

    signal(stopped, "CONT");
    assertThat(stopped.hears("Moved", "x")).isEqualTo(x);
    assertThat(stopped.hears("Joined", "y")).isEqualTo(y);
    // It comes back as a member.
    other.hears("Joined", "m0");
    for (Sharer each : sharers) {
      Awaited.until(() -> each.entries().keySet().equals(Set.of(5000, 5001, 6001, 6002)));
      assertThat(each.entries()).containsEntry(6001, x).containsEntry(6002, y);
    }
    assertThat(stopped.entries()).isEqualTo(other.entries());
  }

  @Test
  @Tag("long")
  @DisplayName("Ranks of a node keep their handles when the one that inserts is killed")
  void job() throws Exception {
    for (int rank = 0; rank < 3; rank++) {
      new Sharer(Integer.toString(rank), 5000 + rank, "job");
    }
    Map<Integer, Long> handles = new TreeMap<>(Map.of(5000, 0L, 5001, 1L, 5002, 2L));
    for (Sharer each : sharers) {
      assertThat(each.hears("Joined", "2")).isEqualTo(2);
      assertThat(each.entries()).isEqualTo(handles);
    }
    Sharer inserting = inserting(tree.client(), "job");
    int rank = sharers.indexOf(inserting);
    inserting.kill();
    Sharer again = new Sharer(Integer.toString(rank), 6000, "job");
    handles.remove(5000 + rank);
    handles.put(6000, (long) rank);
    assertThat(again.hears("Joined", Integer.toString(rank))).isEqualTo(rank);
    for (Sharer each : sharers) {
      Awaited.until(() -> each.entries().equals(handles));
    }
  }
}
