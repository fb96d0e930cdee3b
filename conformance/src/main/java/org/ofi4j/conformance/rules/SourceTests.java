// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.RandomTest;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;

/**
 * Random insertions, ranges among them, removals and user ids; after each one a message, whose
 * reported source has to be what a few lines of bookkeeping say.
 */
@RandomTest
@ConformanceTest
class SourceTests extends AddressTests {
  private static final int CLIENTS = 5;
  private static final int STEPS = 200;

  /** How ids come to entries. */
  enum Ids {
    NONE,
    AT_INSERT,
    BY_CALL
  }

  /** What is known of one handle of the server's vector. */
  private record Known(int client, long reported) {}

  /** The server, its clients, and what is known of the entries. */
  private static final class Run {
    private final SplittableRandom random;
    private final Ids ids;
    private final Peer server;
    private final List<Peer> clients = new ArrayList<>();
    private final List<Long> toServer = new ArrayList<>();
    private final Map<Long, Known> known = new HashMap<>();

    /** Entries of ranges that are nobody's. */
    private final List<Long> others = new ArrayList<>();

    Run(Ids ids, long seed, ConformanceEnvironment environment) {
      random = new SplittableRandom(seed);
      this.ids = ids;
      AddressVector vector =
          environment.vector(
              Setup.of(ApiVersion.V2_1)
                  .caps(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID)
                  .endpointType(EndpointType.DGRAM),
              VectorOptions.table()
                  .withDuplicates(DuplicatePolicy.NEW_INDEX)
                  .withFlags(ids == Ids.BY_CALL ? VectorFlag.USER_ID.mask() : 0));
      server = environment.peer(vector);
      for (int i = 0; i < CLIENTS; i++) {
        Peer client = environment.peer(vector.domain());
        clients.add(client);
        toServer.add(client.insert(server));
      }
    }

    void change() {
      int client = random.nextInt(CLIENTS);
      switch (random.nextInt(6)) {
        case 0, 1 -> insert(client);
        case 2 -> insertRange(client);
        case 3 -> removeOthers();
        case 4 -> {
          if (!known.isEmpty()) {
            List<Long> handles = known.keySet().stream().sorted().toList();
            long handle = handles.get(random.nextInt(handles.size()));
            server.vector().remove(handle);
            known.remove(handle);
          }
        }
        default -> {
          if (ids == Ids.BY_CALL) {
            known.replaceAll((handle, entry) -> {
              if (entry.client() != client) {
                return entry;
              }
              long id = random.nextLong(-1, 4);
              server.vector().setUserId(handle, new UserId(id));
              return new Known(client, id);
            });
          } else { // somebody else comes, and the lowest index is his
            long other =
                server
                    .vector()
                    .insert(Addresses.a(server.vector().format(), random.nextInt(1, 250)));
            server.vector().remove(other);
          }
        }
      }
    }

    private void insert(int client) {
      if (ids == Ids.AT_INSERT && random.nextBoolean()) {
        long id = random.nextLong(-1, 4);
        known.put(server.insert(clients.get(client), id), new Known(client, id));
      } else {
        long handle = server.insert(clients.get(client));
        known.put(handle, new Known(client, ids == Ids.BY_CALL ? Handles.NOT_AVAILABLE : handle));
      }
    }

    /** A range with the client somewhere in it, and perhaps with some of the other clients. */
    private void insertRange(int client) {
      var name = (SocketAddress4) clients.get(client).name();
      int nodes = 1 + random.nextInt(40);
      int services = 1 + random.nextInt(6);
      int host = name.address() - random.nextInt(nodes);
      int port = name.port() - random.nextInt(services);
      boolean withIds = ids == Ids.AT_INSERT && random.nextBoolean();
      long[] given = random.longs((long) nodes * services, -1, 4).toArray();
      InsertOptions options = InsertOptions.none();
      Insertion insertion =
          server
              .vector()
              .insertSymmetric(
                  Addresses.dotted(host),
                  nodes,
                  String.valueOf(port),
                  services,
                  withIds ? options.withUserIds(given) : options);
      for (int i = 0; i < given.length; i++) {
        if (insertion.error(i) != 0) {
          continue; // beyond the last port
        }
        long handle = insertion.handle(i);
        int owner = owner(new SocketAddress4(host + i / services, port + i % services));
        if (owner < 0) {
          others.add(handle);
        } else if (withIds) {
          known.put(handle, new Known(owner, given[i]));
        } else {
          known.put(handle, new Known(owner, ids == Ids.BY_CALL ? Handles.NOT_AVAILABLE : handle));
        }
      }
    }

    private int owner(FabricAddress address) {
      for (int client = 0; client < CLIENTS; client++) {
        if (clients.get(client).name().equals(address)) {
          return client;
        }
      }
      return -1;
    }

    /** Makes holes around the clients. */
    private void removeOthers() {
      Collections.shuffle(others, new Random(random.nextLong()));
      List<Long> gone = others.subList(0, others.size() / 2);
      server.vector().remove(gone.stream().mapToLong(Long::longValue).toArray());
      gone.clear();
    }

    /** The entry with the lowest index speaks for an address. */
    long expected(int client) {
      return known.entrySet().stream()
          .filter(entry -> entry.getValue().client() == client)
          .min(Map.Entry.comparingByKey())
          .map(entry -> entry.getValue().reported())
          .orElse(Handles.NOT_AVAILABLE);
    }

    long seen(int client) {
      return Peer.source(clients.get(client).exchange(toServer.get(client), server));
    }
  }

  @Proves(partly = {"AV-103", "AV-175", "AV-176", "AV-187", "AV-191", "AV-215"})
  @ParameterizedTest
  @EnumSource
  void sourcesAreWhatTheBooksSay(Ids ids, ConformanceEnvironment environment) {
    long seed = Seeds.pick();
    Run run = new Run(ids, seed, environment);
    for (int step = 1; step <= STEPS; step++) {
      run.change();
      int client = run.random.nextInt(CLIENTS);
      assertThat(run.seen(client))
          .as("source of client %s after %s changes; %s", client, step, Seeds.repeat(seed))
          .isEqualTo(run.expected(client));
    }
  }
}
