// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.RemotePlace;

/** A vector, a queue, and endpoints that come and go; one thread does anything with them. */
final class StressSession implements Runnable {
  /** Of 256 in the life of a vector, less those that come while nothing may be closed. */
  private static final int MOST_PEERS = 200;

  private static final int MOST_ENDPOINTS = 4;
  private static final int MOST_CLOSED_REGIONS = 2;
  private static final int POLLED = 32;

  final StressProgram program;
  final Random random;
  private final int index;
  private final StressCompletions completions;
  private final StressTraffic traffic;
  private final List<StressEndpoint> endpoints = new CopyOnWriteArrayList<>();
  private final Map<StressRegion, StressEndpoint> regions = new HashMap<>();
  private final Deque<StressRegion> closedRegions = new ArrayDeque<>();
  private final Map<StressPeer, Long> handles = new HashMap<>();
  private int opened;
  private int announcedBefore;
  private int registered;

  private @Nullable Fabric fabric;
  private volatile @Nullable Domain domain;
  private @Nullable AddressVector vector;
  private volatile @Nullable CompletionQueue queue;
  private boolean openingForbidden;

  private volatile long lastStep;
  private volatile long steps;
  private volatile boolean drained;
  private volatile boolean ended;

  StressSession(StressProgram program, int index, Random random) {
    this.program = program;
    this.index = index;
    this.random = random;
    completions = new StressCompletions(this);
    traffic = new StressTraffic(this);
  }

  @Override
  public String toString() {
    return program.number + "." + index;
  }

  @Nullable Domain domain() {
    return domain;
  }

  List<StressEndpoint> endpoints() {
    return endpoints;
  }

  long lastStep() {
    return lastStep;
  }

  boolean isDrained() {
    return drained;
  }

  boolean hasEnded() {
    return ended;
  }

  /** From now on no domain is opened; waits until one that is being opened is there. */
  synchronized void forbidOpening() {
    openingForbidden = true;
  }

  /** Waits until a step that has begun has ended, and one after it, which reads the queue. */
  void awaitStep() {
    long seen = steps;
    while (steps < seen + 2 && !ended) {
      sleep();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  /** An operation that has taken too long, or an endpoint that takes none; null without any. */
  @Nullable String lateOperation() {
    for (StressEndpoint each : endpoints) {
      for (StressOperation operation : each.outgoing()) {
        if (each.open && program.tick - operation.posted > program.mostTicks) {
          return operation + ", beside " + each.posted;
        }
      }
      long since = each.fullSince;
      if (each.open && since >= 0 && program.tick - since > program.mostTicks) {
        return "the transmit queue of " + each.key + " is full";
      }
    }
    return null;
  }

  @Override
  public void run() {
    try {
      open();
      while (program.phase == StressProgram.Phase.PLAYING) {
        step();
      }
      while (program.phase == StressProgram.Phase.DRAINING) {
        serve();
        drained = endpoints.stream().allMatch(each -> each.outgoing().isEmpty());
      }
      for (StressEndpoint each : endpoints) {
        traffic.echo(each);
      }
      close();
    } catch (RuntimeException | InterruptedException | Error wrong) {
      program.fail("session " + this, wrong);
    } finally {
      ended = true;
    }
  }

  private void step() throws InterruptedException {
    if (!program.calm && isVectorFull()) {
      close();
      open();
    }
    StressEndpoint any =
        endpoints.isEmpty() ? null : endpoints.get(random.nextInt(endpoints.size()));
    int choice = random.nextInt(1_000);
    if (any == null || (choice < 20 && !program.calm && endpoints.size() < mostEndpoints())) {
      openEndpoint();
    } else if (choice < 26) {
      if (!program.calm && StressAction.CLOSE.isOn()) {
        closeEndpoint(any);
      }
    } else if (choice < 28) {
      if (!program.calm && StressAction.REOPEN.isOn() && random.nextInt(4) == 0) {
        close();
        open();
      }
    } else if (choice < 40) {
      removePeer();
    } else if (choice < 50) {
      traffic.cancel(any);
    } else if (choice < 60) {
      changeRegions(any);
    } else if (choice < 100) {
      traffic.access(any);
    } else {
      traffic.send(any);
    }
    serve();
  }

  private static int mostEndpoints() {
    return StressAction.MANY.isOn() ? MOST_ENDPOINTS : 1;
  }

  /** Returns whether the vector may soon have met as many peers as {@code shm} 2.x can take. */
  private boolean isVectorFull() {
    return program.provider.equals("shm") && program.announced.get() - announcedBefore > MOST_PEERS;
  }

  /** Posts receives and reads the queue. */
  void serve() throws InterruptedException {
    FabricInfo info = info();
    for (StressEndpoint each : endpoints) {
      each.postReceives(random, info.has(Capability.MULTI_RECEIVE), program.tick);
    }
    CompletionQueue present = queue();
    if (random.nextInt(8) == 0) {
      present.poll(completions, POLLED, Duration.ofMillis(random.nextInt(3)));
    } else {
      present.poll(completions, 1 + random.nextInt(POLLED));
    }
    lastStep = program.tick;
    steps++;
  }

  FabricInfo info() {
    return present(domain).info();
  }

  int index() {
    return index;
  }

  Domain present() {
    return present(domain);
  }

  private CompletionQueue queue() {
    return present(queue);
  }

  private static <T> T present(@Nullable T object) {
    if (object == null) {
      throw new IllegalStateException("not open");
    }
    return object;
  }

  private synchronized void open() {
    while (openingForbidden) {
      sleep();
    }
    Progress progress =
        random.nextBoolean() && StressAction.AUTOMATIC.isOn() ? Progress.AUTO : Progress.MANUAL;
    FabricInfo info = StressProviders.offer(program.provider, progress, random);
    announcedBefore = program.announced.get();
    Fabric newFabric = Fabrics.open(info);
    Domain newDomain = newFabric.openDomain();
    fabric = newFabric;
    domain = newDomain;
    vector = newDomain.openAddressVector();
    queue = newDomain.openCompletionQueue();
  }

  private void close() {
    List.copyOf(endpoints).forEach(this::closeEndpoint);
    for (StressRegion each : closedRegions) {
      check(each);
      each.close();
    }
    closedRegions.clear();
    present(queue).close();
    present(vector).close();
    present(domain).close();
    present(fabric).close();
    handles.clear();
  }

  private void openEndpoint() {
    Domain present = present(domain);
    EndpointOptions options = EndpointOptions.of(present(vector), queue());
    if (info().endpoint().type() == EndpointType.RDM) {
      options =
          options.withConnections(
              ConnectionOptions.defaults()
                  .withConnectTimeout(Duration.ofMillis(500 + random.nextInt(2_000))));
    }
    MessageEndpoint endpoint = present.openEndpoint(options);
    int number = index << 12 | opened++;
    StressEndpoint added = new StressEndpoint(program.number + ":" + number, number, endpoint);
    endpoints.add(added);
    added.postReceives(random, info().has(Capability.MULTI_RECEIVE), program.tick);
    program.announce(added.self);
    program.say(
        "open "
            + added.key
            + " "
            + endpoint.address().format()
            + " "
            + HexFormat.of().formatHex(endpoint.address().toBytes()));
  }

  private void closeEndpoint(StressEndpoint endpoint) {
    if (random.nextBoolean()) {
      // Others are told before, or after.
      program.say("shut " + endpoint.key);
    }
    for (StressRegion each : List.copyOf(regions.keySet())) {
      if (regions.get(each) == endpoint) {
        closeRegion(each);
      }
    }
    endpoint.open = false;
    endpoint.endpoint.close();
    endpoints.remove(endpoint);
    program.leave(endpoint.key);
    program.say("shut " + endpoint.key);
  }

  private void changeRegions(StressEndpoint endpoint) {
    if (!info().has(Capability.RMA)) {
      return;
    }
    if (regions.isEmpty() || random.nextInt(3) > 0) {
      String name = Integer.toString(registered++);
      StressRegion region = new StressRegion(name, present(domain), random.nextInt(4) > 0);
      regions.put(region, endpoint);
      RemotePlace place = region.place();
      endpoint.self.places.put((region.writable ? "w" : "r") + name, place);
      program.say(
          "region %s %s %d %d %d"
              .formatted(
                  endpoint.key,
                  (region.writable ? "w" : "r") + name,
                  place.address(),
                  place.length(),
                  place.key()));
    } else {
      closeRegion(regions.keySet().iterator().next());
    }
    while (closedRegions.size() > MOST_CLOSED_REGIONS) {
      StressRegion oldest = closedRegions.removeFirst();
      check(oldest);
      oldest.close();
    }
  }

  private void closeRegion(StressRegion region) {
    StressEndpoint endpoint = present(regions.remove(region));
    String name = (region.writable ? "w" : "r") + region.name;
    endpoint.self.places.remove(name);
    if (random.nextBoolean()) {
      program.say("unregion " + endpoint.key + " " + name);
    }
    check(region);
    region.closeRegion();
    closedRegions.addLast(region);
  }

  private void check(StressRegion region) {
    String fault = region.fault();
    if (fault != null) {
      program.fail(fault);
    }
  }

  /** The handle of a peer in the vector, into which it is inserted if it is not there. */
  long handle(StressPeer peer) {
    Long known = handles.get(peer);
    if (known != null) {
      return known;
    }
    long inserted = present(vector).insert(peer.address);
    // Another endpoint may have had the address before.
    handles.values().removeIf(each -> each == inserted);
    handles.put(peer, inserted);
    return inserted;
  }

  /** Removes a peer, also one that is there and that messages are under way to. */
  private void removePeer() {
    List<StressPeer> known = new ArrayList<>(handles.keySet());
    if (known.isEmpty()) {
      return;
    }
    // The order of a map with objects as keys would not be repeated.
    known.sort((one, other) -> one.key.compareTo(other.key));
    StressPeer peer = known.get(random.nextInt(known.size()));
    if (!StressAction.REMOVE.isOn()) {
      return;
    }
    if (peer.gone || random.nextInt(4) == 0) {
      present(vector).remove(present(handles.remove(peer)));
    }
  }
}
