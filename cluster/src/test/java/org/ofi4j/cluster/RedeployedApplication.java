// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Messenger;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.micrometer.FabricMetrics;

/**
 * An application as an application server loads it: it uses one part of ofi4j, closes everything,
 * and is dropped with its class loader.
 */
public final class RedeployedApplication implements Callable<Boolean> {
  /** A part of ofi4j that an application uses. */
  public enum Use {
    /** A messenger over UDP. */
    UDP,
    /** A messenger over TCP. */
    TCP,
    /** An endpoint over TCP with threads of its own. */
    AUTOMATIC,
    /** A vector shared by processes. */
    NAMED,
    /** A vector saved into a file and opened from there. */
    SAVED,
    /** Insertion of a name, which a thread resolves. */
    RESOLVED,
    /** An endpoint of the installed libfabric in shared memory; skipped where there is none. */
    NATIVE,
    /** An endpoint of the installed libfabric over TCP; skipped where there is none. */
    NATIVE_TCP,
    /** Meters of a vector and of an endpoint. */
    METERS,
    /** A member of a service, and a vector that follows the service. */
    SERVICE
  }

  private static final Duration LONG = Duration.ofDays(1);

  private final Use use;
  private final String servers;

  /**
   * An application.
   *
   * @param use the name of a {@link Use}
   * @param servers where ZooKeeper is
   */
  public RedeployedApplication(String use, String servers) {
    this.use = Use.valueOf(use);
    this.servers = servers;
  }

  /** Returns false if this machine lacks what the application uses. */
  @Override
  public Boolean call() throws Exception {
    switch (use) {
      case UDP -> exchange(Fabrics.udp("127.0.0.1:0"), Fabrics.udp("127.0.0.1:0"));
      case TCP -> exchange(Fabrics.tcp("127.0.0.1:0"), Fabrics.tcp("127.0.0.1:0"));
      case AUTOMATIC -> echo(tcp().withProgress(Progress.AUTO));
      case NAMED -> shareVector();
      case SAVED -> saveVector();
      case RESOLVED -> resolve();
      case NATIVE -> {
        return echoNatively(Hints.reliable().withProvider("shm"));
      }
      case NATIVE_TCP -> {
        Hints tcp = Hints.reliable().withSource("127.0.0.1:0");
        return echoNatively(tcp.withProvider("net"))
            || echoNatively(tcp.withProvider("libfabric:tcp"));
      }
      case METERS -> measure();
      case SERVICE -> join();
    }
    return true;
  }

  private static Hints tcp() {
    return Hints.reliable().withProvider("tcp").withSource("127.0.0.1:0");
  }

  private static void exchange(Messenger receiver, Messenger sender) throws InterruptedException {
    try (receiver;
        sender) {
      sender.send("hello", sender.insert(receiver.address()));
      require(receiver.receive(LONG).text().equals("hello"));
    }
  }

  private static boolean echoNatively(Hints hints) throws InterruptedException {
    if (Fabrics.info(hints).offers().isEmpty()) {
      return false;
    }
    echo(hints);
    return true;
  }

  private static void echo(Hints hints) throws InterruptedException {
    try (Fabric fabric = Fabrics.open(hints);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint =
            domain.openReliableEndpoint(EndpointOptions.of(vector, queue))) {
      exchange(endpoint, vector, queue);
    }
  }

  private static void exchange(
      ReliableEndpoint endpoint, AddressVector vector, CompletionQueue queue)
      throws InterruptedException {
    endpoint.receive(Arena.ofAuto().allocate(64), "received");
    long self = vector.insert(endpoint.address());
    endpoint.send(MemorySegment.ofArray("hello".getBytes(UTF_8)), self, "sent");
    for (int done = 0; done < 2; done++) {
      queue.take(LONG);
    }
  }

  private static void shareVector() {
    Hints sharing =
        Hints.latest().withProvider("tcp").withDomain("lo").withCapabilities(Capability.SHARED_AV);
    String name = "redeployed " + ProcessHandle.current().pid();
    try (Fabric fabric = Fabrics.open(sharing);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table().withName(name))) {
      vector.insertSymmetric("10.0.0.1", 100, "5000", 4);
      require(vector.find(vector.lookup(7)) == 7);
    }
  }

  private static void saveVector() throws Exception {
    Path directory = Files.createTempDirectory("redeployed");
    Path file = directory.resolve("vector");
    try (Fabric fabric = Fabrics.open(Hints.datagram());
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table())) {
      vector.insertSymmetric("10.0.0.1", 100, "5000", 4);
      vector.save(file);
      VectorOptions saved = VectorOptions.table().withSaved(file).withFlags(VectorFlag.READ);
      try (AddressVector read = domain.openAddressVector(saved)) {
        require(read.size() == 400);
      }
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  private static void resolve() {
    try (Fabric fabric = Fabrics.open(Hints.datagram());
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table())) {
      require(vector.insertService("localhost", "5000") == 0);
    }
  }

  private static void measure() throws InterruptedException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Fabric fabric = Fabrics.open(tcp());
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint = domain.openReliableEndpoint(EndpointOptions.of(vector, queue));
        FabricMetrics ofVector = FabricMetrics.of(vector, Tags.empty());
        FabricMetrics ofEndpoint = FabricMetrics.of(endpoint, Tags.empty())) {
      ofVector.bindTo(registry);
      ofEndpoint.bindTo(registry);
      exchange(endpoint, vector, queue);
      require(registry.get("ofi4j.vector.entries").gauge().value() == 1);
    } finally {
      registry.close();
    }
  }

  private void join() throws InterruptedException {
    try (CuratorFramework client =
            CuratorFrameworkFactory.newClient(servers, new RetryNTimes(50, 100));
        Fabric fabric = Fabrics.open(Hints.datagram());
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table())) {
      client.start();
      try (Cluster cluster = Cluster.of(client, ClusterOptions.defaults())) {
        Service service = cluster.service("redeployed");
        FabricAddress address = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000");
        try (Membership member = service.join("member", address, MemberOptions.none());
            VectorFeed feed = service.fill(vector, LONG, MemberListener.none())) {
          require(member.member().name().equals("member"));
          while (feed.handle("member").isEmpty()) {
            Thread.sleep(1);
          }
        }
      }
    }
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new IllegalStateException("the application does not work");
    }
  }
}
