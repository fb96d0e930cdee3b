// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network of its own behind a virtual link, which can be cut and mended: what a host is that
 * vanishes without a word. Needs root and iproute2; a test is skipped without, unless the system
 * property {@code ofi4j.interop} is {@code required}: then it fails.
 */
final class NetworkNamespace implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String name;
  private final String near;
  private final String far;
  private final String subnet;

  private NetworkNamespace(int number) {
    long own = ProcessHandle.current().pid();
    // Names of links have 15 characters at most.
    name = "ofi4j-" + own % 100_000 + "-" + number % 10;
    near = name + "n";
    far = name + "f";
    subnet = "10.253." + own % 250 + ".";
  }

  /** A network that can be reached. */
  static NetworkNamespace open() throws IOException, InterruptedException {
    NetworkNamespace opened = new NetworkNamespace(COUNT.getAndIncrement());
    String complaint = opened.run("ip netns add " + opened.name);
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(complaint).as("root and iproute2 are there: apt-get install iproute2").isEmpty();
    }
    assumeTrue(complaint.isEmpty(), "no network namespace can be made: " + complaint);
    opened.must(
        "ip link add "
            + opened.near
            + " type veth peer name "
            + opened.far
            + " netns "
            + opened.name);
    opened.must("ip address add " + opened.near() + "/24 dev " + opened.near);
    opened.must("ip link set " + opened.near + " up");
    opened.must("ip -n " + opened.name + " address add " + opened.far() + "/24 dev " + opened.far);
    opened.must("ip -n " + opened.name + " link set " + opened.far + " up");
    // The kernel says a little later that the link carries something.
    while (!isUp(opened.near)) {
      Thread.sleep(1);
    }
    return opened;
  }

  private static boolean isUp(String link) throws IOException {
    NetworkInterface known = NetworkInterface.getByName(link);
    return known != null && known.isUp();
  }

  /** The address of this side. */
  String near() {
    return subnet + "1";
  }

  /** The address of the other side. */
  String far() {
    return subnet + "2";
  }

  /** What comes before a command that is to be run there. */
  String[] within() {
    return new String[] {"ip", "netns", "exec", name};
  }

  /** Nothing comes through any more, and nobody is told. */
  void cut() throws IOException {
    must("ip -n " + name + " link set " + far + " down");
  }

  void mend() throws IOException {
    must("ip -n " + name + " link set " + far + " up");
  }

  private void must(String command) throws IOException {
    assertThat(run(command)).as(command).isEmpty();
  }

  /** What a command has to complain about. */
  private String run(String command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(List.of(command.split(" "))).redirectErrorStream(true).start();
    } catch (IOException absent) {
      return String.valueOf(absent.getMessage());
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.onExit().join().exitValue() == 0 ? "" : command + ": " + output;
  }

  @Override
  public void close() throws IOException {
    run("ip link delete " + near);
    run("ip netns delete " + name);
  }
}
