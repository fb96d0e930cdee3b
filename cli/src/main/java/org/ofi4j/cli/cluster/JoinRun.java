// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.cluster.JoinCommand.Wanted;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.Holding;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.Job;
import org.ofi4j.cluster.MemberOptions;

/** Is a member of a group, with an endpoint and a vector, until it is interrupted. */
record JoinRun(Terminal terminal, boolean json) {
  /** An address of IPv6 alone has colons too. */
  private static final Pattern WITH_PORT = Pattern.compile("(\\[.*\\]|[^:]*):[0-9]+");

  void run(WhichServers where, Wanted wanted) {
    CountDownLatch enough = new CountDownLatch(1);
    try (VectorSession session = VectorSession.open(hints(wanted), VectorOptions.table());
        CompletionQueue queue = session.domain().openCompletionQueue();
        MessageEndpoint endpoint =
            session.domain().openEndpoint(EndpointOptions.of(session.vector(), queue))) {
      Connection connection = Connection.open(where, Duration.ofSeconds(wanted.session()));
      try (Holding holding = Holding.open(connection::close)) {
        EventLines events = new EventLines(terminal, json, enough);
        String publish = wanted.publish();
        FabricAddress address =
            publish == null
                ? endpoint.address()
                : new PublishedAddress(publish).of(endpoint.address());
        join(connection, wanted, session.vector(), address, events);
        holding.await(enough);
      } catch (FabricException failure) {
        throw Connection.asUsage(failure);
      }
    }
  }

  private static Hints hints(Wanted wanted) {
    Hints hints =
        Hints.latest()
            .withProvider(FabricNames.provider(wanted.provider()))
            .withCapabilities(Capability.MSG);
    String source = wanted.source();
    if (source == null) {
      return hints;
    }
    return hints.withSource(WITH_PORT.matcher(source).matches() ? source : source + ":0");
  }

  private static void join(
      Connection connection,
      Wanted wanted,
      AddressVector vector,
      FabricAddress address,
      EventLines events) {
    Cluster cluster = connection.cluster();
    MemberOptions options = MemberOptions.none();
    for (Map.Entry<String, String> each : wanted.attributes().entrySet()) {
      options = options.withAttribute(each.getKey(), each.getValue());
    }
    if (wanted.userId() != null) {
      options = options.withUserId(wanted.userId());
    }
    Integer rank = wanted.rank();
    Integer size = wanted.size();
    if (rank != null && size != null) {
      Job job = cluster.job(wanted.group(), size);
      var _ =
          (wanted.expire() ? job.expiring() : job)
              .join(vector, address, rank, Duration.ofSeconds(wanted.timeout()), options, events);
      return;
    }
    var service = cluster.service(wanted.group());
    var _ = service.fill(vector, Duration.ZERO, events);
    service.join(name(wanted, connection.host()), address, options).addListener(events);
  }

  private static String name(Wanted wanted, String host) {
    String member = wanted.member();
    if (member != null) {
      return member;
    }
    // The process number is for people: processes of several containers may have the same one.
    String random = HexFormat.of().toHexDigits(RandomGenerator.getDefault().nextInt());
    return host + "-" + ProcessHandle.current().pid() + "-" + random;
  }
}
